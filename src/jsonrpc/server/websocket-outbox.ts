import type { WebSocket } from 'ws'
import type { AnswerBody } from '#serve/answer-text.ts'
import { PIECE_CHARS, piecesOf } from '#serve/answer-text.ts'

/** What ws and the system may hold for one client before further answers wait in the outbox. */
const HANDED_OVER_MAX_BYTES = 256 * 1024

/** Maximum bytes waiting for a client that does not read. Streamed answers are made on demand and do not count. */
export const WAITING_MAX_BYTES = 16 * 1024 * 1024

/** The limit for all clients of a server; beyond it the client with most bytes is cut off. */
export const BACKLOG_MAX_BYTES = 64 * 1024 * 1024

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
  /** The client has too many bytes waiting. */
  onOverflow(): void
  /** The client reads, so there may be room for more. */
  onProgress(): void
  /** A body in pieces threw, so its message can be neither completed nor withdrawn. */
  onBroken(error: unknown): void
}

interface Waiting {
  readonly body: AnswerBody
  readonly bytes: number
  readonly onSent: () => void
}

/** Sends answers one after another, since frames of two messages must not mix. */
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

  /** True if the client reads slower than it asks. */
  get isBehind(): boolean {
    return this.#isSending
  }

  /** Calls `onSent` when the complete answer was handed over, unless the connection closes before. */
  push(body: AnswerBody, onSent: () => void): void {
    if (this.#isClosed || this.#socket.readyState !== this.#socket.OPEN) return
    const isFree = !this.#isSending && this.#socket.bufferedAmount < HANDED_OVER_MAX_BYTES
    if (isFree && typeof body === 'string' && body.length <= PIECE_CHARS) {
      this.#socket.send(body)
      onSent()
      return
    }
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : 0
    // One answer may exceed the limit; only answers behind it count.
    if (this.#isSending && this.#waitingBytes + bytes > WAITING_MAX_BYTES) {
      this.overflow()
      return
    }
    this.#waiting.push({ body, bytes, onSent })
    this.#waitingBytes += bytes
    if (!this.#isSending) void this.#sendAll()
    this.#backlog.add(this, bytes)
  }

  /** Drops everything that waits. */
  overflow(): void {
    this.close()
    this.#events.onOverflow()
  }

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

  /** In frames, each after the previous one was sent. Only the end tells which frame is the last. */
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
    // An error means that the connection is gone, which its state shows as well.
    this.#socket.send(text, { fin, binary: false }, () => {
      this.#events.onProgress()
      resolve()
    })
    return promise
  }
}
