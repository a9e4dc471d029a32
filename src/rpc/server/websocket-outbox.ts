import type { WebSocket } from 'ws'
import type { AnswerBody } from '#serve/answer-text.ts'
import { PIECE_CHARS, piecesOf } from '#serve/answer-text.ts'

/** What ws and the system may hold for one client before further answers wait in the outbox. */
const HANDED_OVER_MAX_BYTES = 256 * 1024

/**
 * A client that does not read costs no more than this: with so many bytes of answers waiting behind the one
 * that is being sent, it is cut off. Answers in pieces count nothing while they wait, since they are made only
 * as fast as they are read.
 */
export const WAITING_MAX_BYTES = 16 * 1024 * 1024

/** And all clients of a server together no more than this: the one that costs most goes first. */
export const BACKLOG_MAX_BYTES = 64 * 1024 * 1024

/** What waits for all clients of a server. */
export class Backlog {
  readonly #boxes = new Set<WebSocketOutbox>()
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes = BACKLOG_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  add(box: WebSocketOutbox, bytes: number): void {
    this.#boxes.add(box)
    this.#bytes += bytes
    if (this.#bytes <= this.#maxBytes) return
    let largest = box
    for (const each of this.#boxes) if (each.waitingBytes > largest.waitingBytes) largest = each
    largest.overflow()
  }

  remove(box: WebSocketOutbox, bytes: number): void {
    this.#bytes -= bytes
    if (box.waitingBytes === 0) this.#boxes.delete(box)
  }
}

export interface OutboxEvents {
  /** More than the client may leave waiting. */
  onOverflow(): void
  /** Something went out: the client reads, and there may be room for more. */
  onProgress(): void
  /** A body in pieces threw. Its message can be neither ended nor taken back. */
  onBroken(error: unknown): void
}

interface Waiting {
  readonly body: AnswerBody
  readonly bytes: number
  readonly onSent: () => void
}

/** Sends answers one after the other, since the frames of two messages must not mix. */
export class WebSocketOutbox {
  readonly #socket: WebSocket
  readonly #events: OutboxEvents
  readonly #backlog: Backlog
  readonly #waiting: Waiting[] = []
  #waitingBytes = 0
  #isSending = false
  #isClosed = false

  constructor(socket: WebSocket, events: OutboxEvents, backlog: Backlog) {
    this.#socket = socket
    this.#events = events
    this.#backlog = backlog
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** The client reads slower than it asks: time to ask less. */
  get isBehind(): boolean {
    return this.#isSending
  }

  get isEmpty(): boolean {
    return !this.#isSending && this.#socket.bufferedAmount === 0
  }

  /** `onSent`: told when the whole answer was handed over; never, when the connection closes before. */
  push(body: AnswerBody, onSent: () => void): void {
    if (this.#isClosed || this.#socket.readyState !== this.#socket.OPEN) return
    const isFree = !this.#isSending && this.#socket.bufferedAmount < HANDED_OVER_MAX_BYTES
    if (isFree && typeof body === 'string' && body.length <= PIECE_CHARS) {
      this.#socket.send(body)
      onSent()
      return
    }
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : 0
    // One answer may be larger than the limit; what counts is what waits although the client is behind.
    if (this.#isSending && this.#waitingBytes + bytes > WAITING_MAX_BYTES) {
      this.overflow()
      return
    }
    this.#waiting.push({ body, bytes, onSent })
    this.#waitingBytes += bytes
    if (!this.#isSending) void this.#sendAll()
    this.#backlog.add(this, bytes)
  }

  /** Too much waits: nothing of it is sent any more. */
  overflow(): void {
    this.close()
    this.#events.onOverflow()
  }

  /** What waits is of no use any more. */
  close(): void {
    this.#isClosed = true
    this.#waiting.length = 0
    this.#take(this.#waitingBytes)
  }

  #take(bytes: number): void {
    this.#waitingBytes -= bytes
    this.#backlog.remove(this, bytes)
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    this.#isSending = true
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#take(next.bytes)
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

  /** In frames, each when the one before has gone out. The last one is known only at the end. */
  async #sendMessage(body: AnswerBody): Promise<void> {
    let held: string | undefined
    for await (const piece of piecesOf(body)) {
      if (this.#isClosed || this.#socket.readyState !== this.#socket.OPEN) return
      if (held !== undefined) await this.#sendFrame(held, false)
      held = piece
    }
    await this.#sendFrame(held ?? '', true)
  }

  #sendFrame(text: string, fin: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    // An error means that the connection is gone, which the state tells as well.
    this.#socket.send(text, { fin, binary: false }, () => {
      this.#events.onProgress()
      resolve()
    })
    return promise
  }
}
