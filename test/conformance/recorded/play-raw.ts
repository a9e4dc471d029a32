import { connect } from 'node:net'
import { bytesOf, type RecordedEntry } from './entry.ts'
import { CLOSED_BY_SERVER, parseReplies, STILL_OPEN, type Transcript } from './transcript.ts'

const LIMIT_MS = 20_000
/** A server that closes after an answer does so at once; this time is long enough to see that it should not have. */
const STAYS_OPEN_MS = 50
/** An expected close may be late on a busy machine. */
const CLOSES_MS = 5_000
/** On a busy machine password verification may be slow: the node then reports that it is busy. */
const BUSY_STATUS = 503
const BUSY_PAUSE_MS = 5_000
const TRIES_MAX = 6

/** Repeats a request later if the node reports that it is busy, unless that was recorded. */
export async function playHttp(port: number, entry: RecordedEntry): Promise<Transcript> {
  for (let tries = 1; ; tries += 1) {
    const transcript = await playHttpOnce(port, entry)
    const isBusy = transcript.replies[0]?.status === BUSY_STATUS && entry.status !== BUSY_STATUS
    if (!isBusy || tries === TRIES_MAX) return transcript
    await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS))
  }
}

/**
 * Sends one request over a new socket, byte by byte as the recording client did: a client library would hide reason
 * phrases, repeated interim responses and which side closed.
 */
async function playHttpOnce(port: number, entry: RecordedEntry): Promise<Transcript> {
  const { httpMethod = 'GET', path = '/', headers = {}, request } = entry
  const body = request === undefined || request === null ? null : bytesOf(request)
  const given = Object.keys(headers).map((name) => name.toLowerCase())
  const lines = [
    `${httpMethod} ${path} HTTP/1.1`,
    ...(given.includes('host') ? [] : [`Host: 127.0.0.1:${port}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [`Content-Length: ${body.length}`]),
    'Connection: close',
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  const { received } = await converse(port, Buffer.concat([head, body ?? Buffer.alloc(0)]), () => false)
  return { replies: parseReplies(received, httpMethod === 'HEAD'), end: '' }
}

/** Sends raw bytes, waits for as many replies as were recorded, and then checks whether the connection stays open. */
export async function playTcp(port: number, entry: RecordedEntry, replyCount: number): Promise<Transcript> {
  const hasAll = (received: Buffer): boolean => {
    try {
      return parseReplies(received).length >= replyCount
    } catch {
      return false
    }
  }
  const closingMs = entry.end === CLOSED_BY_SERVER ? CLOSES_MS : STAYS_OPEN_MS
  const { received, isClosed } = await converse(port, bytesOf(entry.request ?? ''), hasAll, closingMs)
  return { replies: parseReplies(received), end: isClosed ? CLOSED_BY_SERVER : STILL_OPEN }
}

interface Conversation {
  readonly received: Buffer
  readonly isClosed: boolean
}

function converse(
  port: number,
  bytes: Buffer,
  hasAll: (received: Buffer) => boolean,
  closingMs = STAYS_OPEN_MS,
): Promise<Conversation> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    let closing: NodeJS.Timeout | undefined
    const socket = connect({ host: '127.0.0.1', port })
    const finish = (isClosed: boolean): void => {
      clearTimeout(limit)
      clearTimeout(closing)
      socket.destroy()
      resolve({ received, isClosed })
    }
    const limit = setTimeout(() => {
      socket.destroy()
      reject(
        new Error(`no end after ${LIMIT_MS} ms; received ${JSON.stringify(received.toString('latin1'))}`),
      )
    }, LIMIT_MS)
    socket.write(bytes)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (closing === undefined && hasAll(received)) closing = setTimeout(() => finish(false), closingMs)
    })
    socket.on('end', () => finish(true))
    // A server that refuses an unread body resets the connection after its answer.
    socket.on('error', () => finish(true))
  })
}
