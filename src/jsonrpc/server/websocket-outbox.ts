import type { WebSocket } from 'ws'
import type { AnswerBody, SharedText } from '#serve/answer-text.ts'
import { PIECE_CHARS, piecesOf, slicesOf } from '#serve/answer-text.ts'
import { type Backlog, type BacklogClient, type HeldText, partsOf } from './websocket-backlog.ts'

/** Maximum bytes waiting for a client that does not read. Streamed answers are made on demand and do not count. */
export const WAITING_MAX_BYTES = 16 * 1024 * 1024

/** Memory of a waiting message besides its text. */
const MESSAGE_BYTES = 128

export interface OutboxEvents {
  /** The client has too many bytes waiting. */
  onOverflow(): void
  /** The client reads, so there may be room for more. */
  onProgress(): void
  /** A body in pieces threw, so its message can be neither completed nor withdrawn. */
  onBroken(error: unknown): void
}

interface Charged {
  /** Bytes of this message alone. */
  readonly bytes: number
  readonly held: HeldText | undefined
}

interface Waiting extends Charged {
  readonly body: AnswerBody | SharedText
  readonly onSent: () => void
}

/** Sends answers one after another, since frames of two messages must not mix. */
export class WebSocketOutbox implements BacklogClient {
  readonly #socket: WebSocket
  readonly #events: OutboxEvents
  readonly #backlog: Backlog
  readonly #waiting: Waiting[] = []
  /** Notifications that the connection keeps until a call is answered. */
  readonly #kept: Charged[] = []
  #keptBytes = 0
  #sending: Waiting | undefined
  /** Bytes of waiting messages alone. */
  #waitingBytes = 0
  /** The number of messages with each text, including the message that is being sent. */
  readonly #texts = new Map<HeldText, number>()
  #textBytes = 0
  /** The limit is not exceeded up to this many bytes with complete texts. */
  #unseenMaxBytes = WAITING_MAX_BYTES
  #isSending = false
  #takenFrames = 0
  #isClosed = false
  /** Ends the wait for the frame that was sent last. */
  #stopWaiting: (() => void) | undefined

  constructor(socket: WebSocket, events: OutboxEvents, backlog: Backlog) {
    this.#socket = socket
    this.#events = events
    this.#backlog = backlog
    backlog.enter(this)
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
    const charged = this.#charge(body)
    const kept = withHeld(body, charged)
    const rest = this.#isSending ? kept : this.#sendWhileRoom(kept)
    if (rest !== undefined) {
      this.#queue({ ...charged, body: rest, onSent })
      return
    }
    this.#release(charged)
    onSent()
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

  /** Counts a notification that the caller keeps until `letGo`. Returns the text to keep. */
  keep(text: string | SharedText): string | SharedText {
    if (this.#isClosed) return text
    const charged = this.#charge(text)
    this.#kept.push(charged)
    this.#keptBytes += charged.bytes
    this.#backlog.update(this)
    return withHeld(text, charged)
  }

  letGo(): void {
    if (this.#isClosed) return
    this.#releaseKept()
    this.#backlog.update(this)
  }

  #releaseKept(): void {
    for (const message of this.#kept.splice(0)) this.#release(message)
    this.#keptBytes = 0
  }

  #charge(body: AnswerBody | SharedText): Charged {
    if (typeof body === 'string') return { bytes: MESSAGE_BYTES + Buffer.byteLength(body), held: undefined }
    if (!('shared' in body)) return { bytes: MESSAGE_BYTES, held: undefined }
    const held = this.#hold(body.shared)
    return { bytes: MESSAGE_BYTES + body.before.length + body.after.length, held }
  }

  /** A client holds a text once, however many of its messages have it. */
  #hold(text: string): HeldText {
    const held = this.#backlog.hold(text)
    const messages = this.#texts.get(held) ?? 0
    if (messages > 0) this.#backlog.release(held)
    else this.#textBytes += text.length
    this.#texts.set(held, messages + 1)
    return held
  }

  #release({ held }: Charged): void {
    const messages = held && this.#texts.get(held)
    if (held === undefined || messages === undefined) return
    this.#texts.set(held, messages - 1)
    if (messages > 1) return
    this.#texts.delete(held)
    this.#textBytes -= held.text.length
    this.#backlog.release(held)
  }

  #queue(message: Waiting): void {
    this.#waiting.push(message)
    this.#waitingBytes += message.bytes
    // One answer may exceed the limit; only answers behind it count.
    if (!this.#isSending) void this.#sendAll()
    else if (this.#isOverLimit()) this.overflow()
    else this.#backlog.update(this)
  }

  /**
   * A text counts in parts, because a burst reaches a client faster than it can read. Looking at all texts takes time, so
   * the next look is after as many further bytes as the limit still allows.
   */
  #isOverLimit(): boolean {
    const sending = this.#sending?.held
    const fullBytes = this.#waitingBytes + this.#textBytes - (sending?.text.length ?? 0)
    if (fullBytes <= this.#unseenMaxBytes) return false
    const sendingBytes = sending === undefined ? 0 : partsOf([sending])
    const bytes = this.#waitingBytes + partsOf(this.heldTexts) - sendingBytes
    this.#unseenMaxBytes = fullBytes + WAITING_MAX_BYTES - bytes
    return bytes > WAITING_MAX_BYTES
  }

  overflow(): void {
    this.close()
    this.#events.onOverflow()
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#releaseSending()
    for (const message of this.#waiting.splice(0)) this.#release(message)
    this.#releaseKept()
    this.#backlog.leave(this)
    this.#stopWaiting?.()
  }

  /** A message that is being sent counts only if another one waits behind it, because a client that reads is faster. */
  get lateBytes(): number {
    const sendingBytes = this.#waiting.length === 0 ? 0 : (this.#sending?.bytes ?? 0)
    return sendingBytes + this.#waitingBytes + this.#keptBytes
  }

  get takenFrames(): number {
    return this.#takenFrames
  }

  get heldTexts(): Iterable<HeldText> {
    return this.#texts.keys()
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    this.#isSending = true
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
        this.#sending = next
        this.#waitingBytes -= next.bytes
        this.#backlog.update(this)
        await this.#sendMessage(next.body)
        this.#releaseSending()
        next.onSent()
      }
    } catch (error) {
      this.#events.onBroken(error)
    } finally {
      this.#isSending = false
      this.#unseenMaxBytes = WAITING_MAX_BYTES
    }
    this.#events.onProgress()
  }

  #releaseSending(): void {
    if (this.#sending !== undefined) this.#release(this.#sending)
    this.#sending = undefined
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
    this.#stopWaiting = resolve
    // An error means that the connection is gone, which its state shows as well.
    this.#socket.send(text, { fin, binary: false }, () => {
      this.#takenFrames++
      this.#events.onProgress()
      resolve()
    })
    return promise
  }
}

/** Replaces a text by the equal one that other clients wait for. */
function withHeld<Body>(body: Body, { held }: Charged): Body {
  return held === undefined ? body : { ...body, shared: held.text }
}

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
