import { connect, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createLog, type Log } from '#platform/log/log.ts'

export interface KeptLog {
  readonly log: Log
  readonly lines: string[]
}

export function keptLog(): KeptLog {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  return { lines, log: createLog({ level: 'DEBUG', format: 'PLAIN', colour: false, destination }) }
}

/** A client that writes and reads bytes, so tests see exactly what is on the wire. */
export class RawClient {
  readonly socket: Socket
  received = ''
  isClosed = false
  #onChange: (() => void) | undefined

  constructor(socket: Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.received += text
      this.#onChange?.()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.isClosed = true
      this.#onChange?.()
    })
  }

  send(text: string | Uint8Array): void {
    this.socket.write(text)
  }

  /** Resolves as soon as the condition holds; the test's timeout is the limit. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve
      })
    }
  }

  async untilReceived(text: string): Promise<string> {
    await this.until(() => this.received.includes(text) || this.isClosed)
    return this.received
  }

  async untilClosed(): Promise<string> {
    await this.until(() => this.isClosed)
    return this.received
  }
}

export async function connectRaw(t: TestContext, port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  const client = new RawClient(socket)
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()))
  return client
}

export function post(body: string, headers: readonly string[] = ['Host: localhost'], path = '/'): string {
  const lines = [`POST ${path} HTTP/1.1`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

export interface Exchange {
  /** For example `HTTP/1.1 200 OK`. */
  readonly statusLine: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends one request on its own connection, which the server closes after its answer. */
export async function exchange(t: TestContext, port: number, request: string): Promise<Exchange> {
  const client = await connectRaw(t, port)
  client.send(request.replace(/\r\n/, '\r\nConnection: close\r\n'))
  return parseExchange(await client.untilClosed())
}

export function parseExchange(text: string): Exchange {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { statusLine, headers, body: text.slice(end + 4) }
}
