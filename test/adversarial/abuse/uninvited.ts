import { randomBytes } from 'node:crypto'
import { connect as connectTls } from 'node:tls'
import { deflateRawSync, gzipSync } from 'node:zlib'
import type { Attack } from './attack.ts'
import { exchange, firstAnswer, open, pause, uncomplaining } from './sockets.ts'
import { COMPRESSED, CONTINUATION, frame, handshake, TEXT } from './websocket-bytes.ts'

/** Attacks that once got in, or got more than their share: each was a fault of Cairn. */

const MIB = 1024 * 1024
const ANSWER_MAX_MS = 5_000

function call(method: string, params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function post(path: string, body: string, headers = ''): string {
  return `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * Clients without a certificate, with the request directly after the handshake. A request that gets through changes
 * the log level, and the log then shows it.
 */
export const strangersByCertificate: Attack = async ({ http, websocket }, { seconds }) => {
  const blind = [post('/', call('admin_changeLogLevel', ['DEBUG'])), post('/login', '{"username":"a"}')]
  const endMs = performance.now() + seconds * 1_000
  let tries = 0
  while (performance.now() < endMs) {
    for (const port of [http, websocket]) {
      const socket = uncomplaining(connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }))
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
      socket.write(blind[tries % 2]!)
      socket.resume()
      const timer = setTimeout(() => socket.destroy(), ANSWER_MAX_MS)
      await closed
      clearTimeout(timer)
      tries += 1
    }
  }
  return `${tries} strangers without a certificate`
}

/** Small messages that expand, sent behind calls that keep the node busy, and messages that never end. */
export const swellingMessages: Attack = async ({ websocket }, { seconds }) => {
  const packed = (bytes: Uint8Array | string): Buffer => deflateRawSync(bytes, { level: 9, finishFlush: 2 })
  const whole = (bytes: Uint8Array | string): Buffer =>
    frame(packed(bytes).subarray(0, -4), { flags: COMPRESSED })
  const bomb = Buffer.alloc(4 * MIB - 16, ' ')
  const opener = whole(`[${'1,'.repeat(400_000)}1]`)
  const chunks = [
    Buffer.concat([opener, ...Array.from({ length: 14 }, () => whole(bomb))]),
    Buffer.concat([
      frame(packed(bomb), { opcode: TEXT, flags: COMPRESSED, isFinal: false }),
      frame('', { opcode: CONTINUATION, isFinal: false }),
    ]),
  ]
  const extensions = 'sec-websocket-extensions: permessage-deflate; client_no_context_takeover\r\n'
  const endMs = performance.now() + seconds * 1_000
  let sent = 0
  const sockets = []
  for (let index = 0; index < 40 && performance.now() < endMs; index += 1) {
    const socket = open(websocket)
    sockets.push(socket)
    socket.write(handshake(websocket, extensions))
    const answer = await firstAnswer(socket)
    socket.pause()
    const chunk = chunks[index % chunks.length]!
    // Without compression, as much as may be sent uncompressed.
    if (!socket.destroyed)
      socket.write(answer.includes('permessage-deflate') ? chunk : frame(bomb.subarray(0, 60_000)))
    sent += 1
    await pause(20)
  }
  while (performance.now() < endMs) await pause(50)
  const left = sockets.filter((socket) => !socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  return `${sent} connections with messages that swell (${left} left at the end)`
}

/** Compressed logins without a body, and bodies that never end, some with an invalid token. */
export const unendingBodies: Attack = async ({ http, websocket, bodyMaxBytes }, { seconds }) => {
  const logins = [http, http, http, http, http, http, websocket, websocket].map((port) => {
    const socket = open(port)
    socket.write(post('/login', '', 'Content-Encoding: gzip\r\n').replace('Length: 0', 'Length: 5000'))
    return socket
  })
  const bodies = ['Authorization: Bearer x\r\n', ''].flatMap((header) =>
    Array.from({ length: 6 }, () => {
      const socket = open(http)
      socket.write(post('/', '', header).replace('Length: 0', `Length: ${bodyMaxBytes}`))
      socket.write(`"${'y'.repeat(bodyMaxBytes - 10_000)}`)
      return socket
    }),
  )
  const endMs = performance.now() + seconds * 1_000
  let answers = 0
  const body = gzipSync('{"username":"a","password":"b"}').toString('latin1')
  while (performance.now() < endMs) {
    const request = Buffer.from(
      post('/login', body, 'Content-Encoding: gzip\r\nConnection: close\r\n'),
      'latin1',
    )
    if ((await exchange(http, request, ANSWER_MAX_MS, false)) !== '') answers += 1
    await pause(200)
  }
  for (const socket of [...logins, ...bodies]) socket.destroy()
  return `${logins.length} logins without a body and ${bodies.length} bodies without an end; ${answers} logins answered meanwhile`
}

/** The largest permitted filters, in the largest permitted number. */
export const largeFilters: Attack = async ({ http }, { seconds }) => {
  const texts = (count: number, bytes: number): string[] =>
    Array.from({ length: count }, () => `0x${randomBytes(bytes).toString('hex')}`)
  const endMs = performance.now() + seconds * 1_000
  let made = 0
  let refused = 0
  while (performance.now() < endMs) {
    const filter = { address: texts(1_000, 20), topics: Array.from({ length: 4 }, () => texts(1_000, 32)) }
    const request = post('/', call('eth_newFilter', [filter]), 'Connection: close\r\n')
    const answer = await exchange(http, request, ANSWER_MAX_MS, false)
    if (answer.includes('"result"')) made += 1
    else refused += 1
  }
  return `${made} filters of 5,000 values created, ${refused} refused`
}
