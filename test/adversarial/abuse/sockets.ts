import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** An attacker's credentials; none by default. */
export interface Papers {
  readonly key: string
  readonly cert: string
  /** Tokens by port, because each transport issues its own. */
  readonly tokens?: Readonly<Record<number, string>>
}

let papers: Papers | undefined

/** From now on connections use TLS with this certificate, and requests carry the token. */
export function carry(given: Papers | undefined): void {
  papers = given
}

/** Connects and ignores errors: attackers expect to be disconnected. */
export function open(port: number): Socket {
  const place = { port, host: '127.0.0.1' }
  if (papers === undefined) return uncomplaining(connect({ ...place, noDelay: true }))
  const { key, cert, tokens } = papers
  const token = tokens?.[port]
  const socket = uncomplaining(connectTls({ ...place, key, cert, rejectUnauthorized: false }))
  if (token !== undefined) addToken(socket, token)
  return socket
}

export function uncomplaining<AnySocket extends Socket>(socket: AnySocket): AnySocket {
  socket.on('error', () => {})
  return socket
}

const REQUEST_LINE = /^(?:POST|GET|OPTIONS) \S{1,200} HTTP\/1\.1\r\n/

/** Adds the token to every write that begins a request. */
function addToken(socket: Socket, token: string): void {
  const write = socket.write.bind(socket)
  const end = socket.end.bind(socket)
  const withToken = (bytes: string | Uint8Array): string | Uint8Array => {
    const start = Buffer.from(bytes.slice(0, 300)).toString('latin1')
    const length = REQUEST_LINE.exec(start)?.[0].length
    if (length === undefined) return bytes
    const whole = Buffer.from(bytes)
    const header = Buffer.from(`authorization: Bearer ${token}\r\n`)
    return Buffer.concat([whole.subarray(0, length), header, whole.subarray(length)])
  }
  socket.write = ((bytes: string | Uint8Array) => write(withToken(bytes))) as typeof socket.write
  socket.end = ((bytes?: string | Uint8Array) =>
    bytes === undefined ? end() : end(withToken(bytes))) as typeof socket.end
}

/**
 * Sends everything, and resolves with the received data when the connection closes or time is up. With `leaves` the
 * client ends its side at once, and the node need not answer. Other clients request the close in a header.
 */
export function exchange(
  port: number,
  bytes: string | Uint8Array,
  maxMs: number,
  leaves = true,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = open(port)
    let received = ''
    const timer = setTimeout(() => socket.destroy(), maxMs)
    socket.on('data', (data) => {
      if (received.length < 4_096) received += data.toString('latin1')
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(received)
    })
    if (leaves) socket.end(bytes)
    else socket.write(bytes)
  })
}

/** Resolves with the first bytes, or with an empty text if the connection closes. */
export function firstAnswer(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve('')
    socket.once('data', (data) => resolve(data.toString('latin1')))
    socket.once('close', () => resolve(''))
  })
}

/** Resolves when the socket has accepted the bytes, or is gone. */
export function write(socket: Socket, bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || socket.write(bytes)) return resolve()
    const settle = (): void => {
      socket.off('drain', settle)
      socket.off('close', settle)
      resolve()
    }
    socket.on('drain', settle)
    socket.on('close', settle)
  })
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Runs `count` times, several at once, and at most `perSecond` per second: other programs need the cores too. */
export async function paced(
  count: number,
  { atOnce, perSecond }: { atOnce: number; perSecond: number },
  run: (index: number) => Promise<void>,
): Promise<void> {
  const startMs = performance.now()
  let next = 0
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const aheadMs = startMs + (index / perSecond) * 1_000 - performance.now()
      if (aheadMs > 1) await pause(aheadMs)
      await run(index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
