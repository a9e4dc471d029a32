/** The clients of subscribers.ts: WebSocket connections with two subscriptions each, which read everything that comes. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

export interface SubscriberOrder {
  readonly port: number
  readonly connections: number
  /** Further clients that subscribe to complete blocks and read nothing. */
  readonly stalled: number
  readonly token: string
  /** The second indexed argument of each client's logs, as 32 bytes. */
  readonly recipients: readonly string[]
}

export interface SubscriberCounts {
  /** Connections of reading clients that the node closed. */
  readonly closed: number
  readonly logs: number
  /** For each block, the Unix times in milliseconds at which its head arrived. */
  readonly heads: readonly { readonly number: number; readonly atMs: Float64Array }[]
}

const OPENED_AT_ONCE = 50
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const ANSWERED = 2
const FINAL = 0x80
const TEXT = 0x1
const PING = 0x9
const PONG = 0xa
const SHORT_MAX = 125
const LENGTH_16 = 126
const LENGTH_64 = 127

const order = workerData as SubscriberOrder
const heads = new Map<number, number[]>()
const sockets: Socket[] = []
let closed = 0
let logs = 0

/** A frame of a client, which is masked. */
function frameOf(text: string, opcode = TEXT): Buffer {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  const isShort = payload.length <= SHORT_MAX
  const head = isShort
    ? Buffer.from([FINAL | opcode, 0x80 | payload.length])
    : Buffer.from([FINAL | opcode, 0xfe, 0, 0])
  if (!isShort) head.writeUInt16BE(payload.length, 2)
  for (let at = 0; at < payload.length; at++) payload[at]! ^= mask[at % 4]!
  return Buffer.concat([head, mask, payload])
}

function subscribe(id: number, ...params: unknown[]): Buffer {
  return frameOf(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_subscribe', params }))
}

interface Frame {
  readonly opcode: number
  readonly payload: Buffer
}

/** Returns complete frames of the server, and the bytes after them. */
function splitFrames(bytes: Buffer): { readonly frames: Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = []
  let at = 0
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1]! & 0x7f
    const headBytes = short === LENGTH_16 ? 4 : short === LENGTH_64 ? 10 : 2
    if (bytes.length - at < headBytes) break
    const length =
      short === LENGTH_16
        ? bytes.readUInt16BE(at + 2)
        : short === LENGTH_64
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short
    if (bytes.length - at < headBytes + length) break
    const payload = bytes.subarray(at + headBytes, at + headBytes + length)
    frames.push({ opcode: bytes[at]! & 0x0f, payload })
    at += headBytes + length
  }
  return { frames, rest: bytes.subarray(at) }
}

function connectTo(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  sockets.push(socket)
  const key = randomBytes(16).toString('base64')
  socket.write(
    `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  )
  return socket
}

/** Asks without waiting for the handshake and never reads. */
function stall(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connectTo(order.port)
  // The node may close it later, which is its right.
  socket.on('error', reject)
  socket.pause()
  socket.write(subscribe(1, 'newHeads', { includeTransactions: true }), () => resolve())
  return promise
}

function count(text: string): void {
  const atMs = Date.now()
  const number = /"number":"(0x[0-9a-f]+)"/.exec(text)?.[1]
  if (number === undefined) {
    logs++
    return
  }
  const times = heads.get(Number(number))
  if (times === undefined) heads.set(Number(number), [atMs])
  else times.push(atMs)
}

/** Resolves when both subscriptions are confirmed. */
function open(client: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const { port, token, recipients } = order
  const socket = connectTo(port)
  let received: Buffer = Buffer.alloc(0)
  let isUpgraded = false
  let answers = 0
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    if (!isUpgraded) {
      const end = received.indexOf('\r\n\r\n')
      if (end < 0) return
      isUpgraded = true
      received = received.subarray(end + 4)
      socket.write(subscribe(1, 'newHeads'))
      const topics = [TRANSFER_TOPIC, null, recipients[client]]
      socket.write(subscribe(2, 'logs', { address: token, topics }))
    }
    const { frames, rest } = splitFrames(received)
    // A copy, because a part of a large chunk would keep all of it.
    received = Buffer.from(rest)
    for (const { opcode, payload } of frames) {
      const text = payload.toString('latin1')
      if (opcode === PING) socket.write(frameOf(text, PONG))
      else if (!text.includes('"result":"0x')) count(text)
      else if (++answers === ANSWERED) resolve()
    }
  })
  socket.on('error', reject)
  socket.on('close', () => {
    closed++
    reject(new Error(`The node closed connection ${client}.`))
  })
  return promise
}

async function inParts(count: number, start: (client: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += OPENED_AT_ONCE) {
    const some = Math.min(OPENED_AT_ONCE, count - from)
    await Promise.all(Array.from({ length: some }, (_, index) => start(from + index)))
  }
}

await inParts(order.connections, open)
await inParts(order.stalled, stall)
parentPort!.once('message', () => {
  const found = [...heads].map(([number, times]) => ({ number, atMs: Float64Array.from(times) }))
  parentPort!.postMessage({ closed, logs, heads: found } satisfies SubscriberCounts)
  for (const socket of sockets) socket.destroy()
})
parentPort!.postMessage('ready')
