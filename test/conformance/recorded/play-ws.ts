import type { IncomingHttpHeaders } from 'node:http'
import { WebSocket } from 'ws'
import { bytesOf, type RecordedEntry, type RecordedFrame } from './entry.ts'
import { handshakeReply, message, type Reply, type Transcript } from './transcript.ts'

const LIMIT_MS = 20_000
const NORMAL = 1000
const FRAGMENT_BYTES = 32_768
const SUBPROTOCOL = /^subprotocol (\w+)$/

/**
 * One connection: sends the recorded messages, waits where an answer was recorded, and closes unless the server does.
 */
export async function playWebSocket(port: number, entry: RecordedEntry): Promise<Transcript> {
  const client = new Client(port, entry)
  const limit = setTimeout(() => client.socket.terminate(), LIMIT_MS)
  try {
    return await client.play(entry.frames ?? [])
  } finally {
    clearTimeout(limit)
    client.socket.terminate()
  }
}

function isNews(text = ''): boolean {
  return text.includes('"method":"eth_subscription"')
}

class Client {
  readonly socket: WebSocket
  readonly #replies: Reply[] = []
  readonly #closed = Promise.withResolvers<number>()
  readonly #opened = Promise.withResolvers<boolean>()
  #messages = 0
  #onMessage: (() => void) | undefined
  #isClosed = false

  constructor(port: number, { note, path = '/', headers = {}, frames = [] }: RecordedEntry) {
    const hearsNews = frames.some((frame) => isNews(frame.in))
    const protocol = SUBPROTOCOL.exec(note)
    const perMessageDeflate = note.startsWith('permessage-deflate')
    const options = { headers, perMessageDeflate }
    this.socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocol ? [protocol[1]!] : [], options)
    this.socket.on('upgrade', (response) => this.#onHandshake(101, response.statusMessage, response.headers))
    this.socket.on('unexpected-response', (_request, { statusCode = 0, statusMessage, headers }) => {
      this.#onHandshake(statusCode, statusMessage, headers)
      this.socket.terminate()
    })
    this.socket.on('open', () => this.#opened.resolve(true))
    this.socket.on('message', (data) => {
      // The chain grows while a recorded conversation without blocks is played.
      if (!hearsNews && isNews(String(data))) return
      this.#replies.push(message(String(data)))
      this.#messages += 1
      this.#onMessage?.()
    })
    // The close code shows the error.
    this.socket.on('error', () => undefined)
    this.socket.on('close', (code) => {
      this.#isClosed = true
      this.#opened.resolve(false)
      this.#closed.resolve(code)
      this.#onMessage?.()
    })
  }

  async play(frames: readonly RecordedFrame[]): Promise<Transcript> {
    if (await this.#opened.promise) await this.#converse(frames)
    return { replies: this.#replies, end: `closed with ${await this.#closed.promise}` }
  }

  async #converse(frames: readonly RecordedFrame[]): Promise<void> {
    let expected = 0
    for (const [index, frame] of frames.entries()) {
      if (frame.in !== undefined) expected += 1
      if (frame.out !== undefined) this.#send(frame)
      else if (frame.in !== undefined) await this.#untilMessages(expected)
      // If no answer follows a message, the server closed the connection.
      else if (frames[index - 1]?.out === undefined) this.socket.close(NORMAL)
    }
  }

  #send({ out = '', binary = false }: RecordedFrame): void {
    const bytes = bytesOf(out)
    if (!out.startsWith('fragmented')) {
      this.socket.send(bytes, { binary })
      return
    }
    for (let at = 0; at < bytes.length; at += FRAGMENT_BYTES) {
      const fin = at + FRAGMENT_BYTES >= bytes.length
      this.socket.send(bytes.subarray(at, at + FRAGMENT_BYTES), { binary: false, fin })
    }
  }

  async #untilMessages(count: number): Promise<void> {
    while (this.#messages < count && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#onMessage = resolve
      })
    }
  }

  #onHandshake(status: number, reason: string | undefined, headers: IncomingHttpHeaders): void {
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    this.#replies.push(handshakeReply(status, reason, plain))
  }
}
