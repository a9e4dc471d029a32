import type { WebSocket } from 'ws'
import type { AnswerBody, SharedText } from '#serve/answer-text.ts'
import { PIECE_CHARS, piecesOf, slicesOf } from '#serve/answer-text.ts'

/** Maximum bytes that ws may hold for one client before further answers wait in the outbox. */
const HANDED_OVER_MAX_BYTES = 256 * 1024
/** Enough for the header of a block, however many clients there are. */
const HANDED_OVER_LEAST_BYTES = 8 * 1024

/** Maximum bytes waiting for a client that does not read. Streamed answers are made on demand and do not count. */
export const WAITING_MAX_BYTES = 16 * 1024 * 1024

/** The limit for all clients of a server; beyond it the clients with most bytes are cut off. */
export const BACKLOG_MAX_BYTES = 64 * 1024 * 1024

export class Backlog {
  readonly #late = new Map<WebSocketOutbox, number>()
  readonly #maxBytes: number
  #bytes = 0
  #clients = 0

  constructor(maxBytes = BACKLOG_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** The bytes that ws may hold for each client, so 10,000 clients that do not read stay within the limit. */
  get handedOverMaxBytes(): number {
    const share = this.#maxBytes / Math.max(1, this.#clients)
    return Math.floor(Math.min(HANDED_OVER_MAX_BYTES, Math.max(HANDED_OVER_LEAST_BYTES, share)))
  }

  enter(): void {
    this.#clients++
  }

  leave(box: WebSocketOutbox): void {
    this.#clients--
    this.update(box, 0)
  }

  /** Called when the bytes that wait for a client have changed. */
  update(box: WebSocketOutbox, bytes: number): void {
    this.#bytes += bytes - (this.#late.get(box) ?? 0)
    if (bytes === 0) this.#late.delete(box)
    else this.#late.set(box, bytes)
    if (this.#bytes > this.#maxBytes) this.#relieve()
  }

  /** To well below the limit, because thousands of clients may stop reading together, and each search takes time. */
  #relieve(): void {
    for (const [box] of [...this.#late].sort(([, a], [, b]) => b - a)) {
      box.overflow()
      if (this.#bytes <= this.#maxBytes / 2) return
    }
  }
}

export interface OutboxEvents {
  /** The client has too many bytes waiting. */
  onOverflow(): void
  /** The client reads, so there may be room for more. */
  onProgress(): void
  /** A body in pieces threw, so its message can be neither completed nor withdrawn. */
  onBroken(error: unknown): void
}

interface Waiting {
  readonly body: AnswerBody | SharedText
  /** Bytes charged while the message waits. */
  readonly bytes: number
  /** Bytes charged while the message is sent and others wait behind it. */
  readonly sendingBytes: number
  readonly onSent: () => void
}

/** Sends answers one after another, since frames of two messages must not mix. */
export class WebSocketOutbox {
  readonly #socket: WebSocket
  readonly #events: OutboxEvents
  readonly #backlog: Backlog
  readonly #waiting: Waiting[] = []
  #sendingBytes = 0
  #behindBytes = 0
  #isSending = false
  #isClosed = false

  constructor(socket: WebSocket, events: OutboxEvents, backlog: Backlog) {
    this.#socket = socket
    this.#events = events
    this.#backlog = backlog
    backlog.enter()
  }

  /** True if the client reads slower than it asks. */
  get isBehind(): boolean {
    return this.#isSending
  }

  /** Calls `onSent` when the complete answer was handed over, unless the connection closes before. */
  push(body: AnswerBody | SharedText, onSent: () => void): void {
    if (this.#isClosed || this.#socket.readyState !== this.#socket.OPEN) return
    if (!this.#isSending && typeof body === 'string' && this.#isOneFrame(body.length)) {
      this.#socket.send(body)
      onSent()
      return
    }
    const rest = this.#isSending ? body : this.#sendWhileRoom(body)
    if (rest === undefined) onSent()
    else this.#queue({ body: rest, onSent, ...this.#sizesOf(body) })
  }

  /** The size of a frame is at most the client's share, so a client that does not read holds about two frames. */
  get #frameMaxChars(): number {
    return Math.min(PIECE_CHARS, this.#backlog.handedOverMaxBytes)
  }

  #isOneFrame(chars: number): boolean {
    return chars <= this.#frameMaxChars && this.#hasRoom(chars)
  }

  #hasRoom(chars: number): boolean {
    const { bufferedAmount } = this.#socket
    return bufferedAmount === 0 || bufferedAmount + chars <= this.#backlog.handedOverMaxBytes
  }

  /**
   * Sends frames until the system takes no more, and returns the rest. A client that reads gets a text of one piece at
   * once, so nothing waits for it in a burst.
   */
  #sendWhileRoom(body: AnswerBody | SharedText): AnswerBody | SharedText | undefined {
    const text = typeof body === 'string' ? { before: '', shared: body, after: '' } : body
    if (!('shared' in text) || charsOf(text) > PIECE_CHARS) return body
    const frames = slicesOf(text, this.#frameMaxChars)
    let frame = frames.next().value ?? ''
    if (!this.#hasRoom(frame.length)) return body
    for (let next = frames.next(); !next.done; next = frames.next()) {
      const sent = this.#sendFrame(frame, false)
      if (!this.#hasRoom(next.value.length)) return continued(sent, next.value, frames)
      frame = next.value
    }
    this.#socket.send(frame, { binary: false })
    return undefined
  }

  /** The bytes charged for a message. A shared text is in memory once, so only a frame of it is charged while it is sent. */
  #sizesOf(body: AnswerBody | SharedText): Pick<Waiting, 'bytes' | 'sendingBytes'> {
    if (typeof body === 'string') {
      const bytes = Buffer.byteLength(body)
      return { bytes, sendingBytes: bytes }
    }
    return 'shared' in body
      ? { bytes: charsOf(body), sendingBytes: this.#frameMaxChars }
      : { bytes: 0, sendingBytes: 0 }
  }

  #queue(waiting: Waiting): void {
    // One answer may exceed the limit; only answers behind it count.
    if (this.#isSending && this.#behindBytes + waiting.bytes > WAITING_MAX_BYTES) {
      this.overflow()
      return
    }
    this.#waiting.push(waiting)
    this.#behindBytes += waiting.bytes
    if (this.#isSending) this.#backlog.update(this, this.#lateBytes())
    else void this.#sendAll()
  }

  /** Drops everything that waits. */
  overflow(): void {
    this.close()
    this.#events.onOverflow()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting.length = 0
    this.#backlog.leave(this)
  }

  /** A message that is being sent counts only if another one waits behind it, because a client that reads is faster. */
  #lateBytes(): number {
    return this.#waiting.length === 0 ? 0 : this.#sendingBytes + this.#behindBytes
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    this.#isSending = true
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#sendingBytes = next.sendingBytes
        this.#behindBytes -= next.bytes
        this.#backlog.update(this, this.#lateBytes())
        await this.#sendMessage(next.body)
        next.onSent()
      }
    } catch (error) {
      this.#events.onBroken(error)
    } finally {
      this.#isSending = false
    }
    this.#events.onProgress()
  }

  /** In frames, each after the previous one was sent. Only the end tells which frame is the last. */
  async #sendMessage(body: AnswerBody | SharedText): Promise<void> {
    let held: string | undefined
    for await (const piece of piecesOf(body, this.#frameMaxChars)) {
      if (this.#isClosed || this.#socket.readyState !== this.#socket.OPEN) return
      if (held !== undefined) await this.#sendFrame(held, false)
      held = piece
    }
    await this.#sendFrame(held ?? '', true)
  }

  #sendFrame(text: string, fin: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    // An error means that the connection is gone, which its state shows as well.
    this.#socket.send(text, { fin, binary: false }, () => {
      this.#events.onProgress()
      resolve()
    })
    return promise
  }
}

/** JSON of results is ASCII, so its characters are its bytes and need not be counted for every client. */
function charsOf({ before, shared, after }: SharedText): number {
  return before.length + shared.length + after.length
}

async function* continued(
  sent: Promise<void>,
  next: string,
  frames: Iterable<string>,
): AsyncGenerator<string, void, void> {
  await sent
  yield next
  yield* frames
}
