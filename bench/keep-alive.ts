/** POSTs over kept connections, each with one pending request: the cheapest possible client. */
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const CHUNKED_END = Buffer.from('0\r\n\r\n')

/** Sends every body once over several connections; `onAnswer` gets each answer's text. */
export async function postAll(
  port: number,
  bodies: readonly string[],
  connections: number,
  onAnswer: (text: string, index: number) => void,
): Promise<void> {
  let next = 0
  const take = (): number | undefined => (next < bodies.length ? next++ : undefined)
  await Promise.all(
    Array.from({ length: Math.min(connections, bodies.length) }, async () => {
      const connection = await Connection.open(port)
      for (let index = take(); index !== undefined; index = take()) {
        onAnswer(await connection.post(bodies[index]!), index)
      }
      connection.close()
    }),
  )
}

export class Connection {
  readonly #socket: Socket
  readonly #port: number
  readonly #headers: string
  #received: Buffer = Buffer.alloc(0)
  #answer: { resolve(text: string): void; reject(error: Error): void } | undefined

  private constructor(socket: Socket, port: number, headers: string) {
    this.#socket = socket
    this.#port = port
    this.#headers = headers
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.#answer?.reject(error))
    socket.on('close', () => this.#answer?.reject(new Error('The connection was closed.')))
  }

  /** `headers` are additional ones, each with its line end. */
  static async open(port: number, headers = ''): Promise<Connection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve())
      socket.once('error', reject)
    })
    return new Connection(socket, port, headers)
  }

  post(body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) throw new Error('The connection was closed.')
      this.#answer = { resolve, reject }
      this.#socket.write(
        `POST / HTTP/1.1\r\nhost: 127.0.0.1:${this.#port}\r\ncontent-type: application/json\r\n${this.#headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
    })
  }

  async ask<Result>(method: string, ...params: unknown[]): Promise<Result> {
    const text = await this.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    const answer = JSON.parse(text) as { result?: Result; error?: unknown }
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
    return answer.result as Result
  }

  close(): void {
    this.#answer = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const head = this.#received.indexOf(HEAD_END)
    if (head < 0) return
    const body = bodyOf(
      this.#received.subarray(0, head).toString('latin1'),
      this.#received.subarray(head + 4),
    )
    if (body === undefined) return
    this.#received = Buffer.alloc(0)
    const answer = this.#answer
    this.#answer = undefined
    answer?.resolve(body)
  }
}

/** Undefined if the answer is incomplete. */
function bodyOf(head: string, rest: Buffer): string | undefined {
  const length = /content-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return rest.length >= Number(length) ? rest.toString('utf8') : undefined
  if (!/transfer-encoding: *chunked/i.test(head)) throw new Error(`An answer without length: ${head}`)
  if (!rest.subarray(-CHUNKED_END.length).equals(CHUNKED_END)) return undefined
  let text = ''
  for (let at = 0; ; ) {
    const line = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.subarray(at, line).toString('latin1'), 16)
    if (size === 0) return text
    text += rest.subarray(line + 2, line + 2 + size).toString('utf8')
    at = line + 2 + size + 2
  }
}

/** Waits until a time; resolves at once if it has passed. */
export async function untilMs(atMs: number): Promise<void> {
  const leftMs = atMs - performance.now()
  if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs))
}
