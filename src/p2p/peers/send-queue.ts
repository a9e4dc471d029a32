import { type BoundedQueue, createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import type { Clock } from '#platform/clock.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { Lane } from './protocol.ts'

/** Encoding this much takes some milliseconds. */
const TURN_MAX_BYTES = 512 * 1024

/**
 * Limits the bulk data that all connections send in one event loop turn. A socket that accepts everything at once, as on the
 * same machine, would otherwise block the thread, including consensus messages.
 */
export class BulkTurns {
  readonly #waiting: (() => void)[] = []
  #bytes = 0
  #isScheduled = false

  get hasRoom(): boolean {
    return this.#bytes < TURN_MAX_BYTES
  }

  spend(bytes: number): void {
    this.#bytes += bytes
    this.#schedule()
  }

  /** Calls `resume` in a later turn, in order. */
  wait(resume: () => void): void {
    this.#waiting.push(resume)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    void nextTurn().then(() => this.#begin())
  }

  #begin(): void {
    this.#isScheduled = false
    this.#bytes = 0
    while (this.#waiting.length > 0 && this.hasRoom) this.#waiting.shift()!()
    if (this.#waiting.length > 0) this.#schedule()
  }
}

/** The destination of frames: a socket, or a test double. */
export interface FrameSink {
  /** Returns false if it accepts no more before it drains. */
  write(frame: Uint8Array): boolean
}

export interface SendLimits {
  readonly bulkMaxBytes: number
  readonly urgentMaxBytes: number
  readonly messagesMax: number
}

/** Two of the largest messages per lane. */
export const SEND_LIMITS: SendLimits = {
  bulkMaxBytes: 32 * 1024 * 1024,
  urgentMaxBytes: 32 * 1024 * 1024,
  messagesMax: 10_000,
}

/** Fraction of the lane, 256 KiB, up to which bulk has room, so an answer is not computed before the last one left. */
const ROOM_DIVISOR = 128

interface QueuedMessage {
  readonly code: number
  readonly data: Uint8Array
}

/**
 * The send queue of one peer. Messages become frames as late as possible, because frames are ordered and urgent messages
 * overtake; the socket never gets more than it accepts at once.
 */
export class SendQueue {
  readonly #sink: FrameSink
  readonly #encode: (code: number, data: Uint8Array) => Uint8Array
  readonly #clock: Clock
  readonly #lanes: Readonly<Record<Lane, BoundedQueue<QueuedMessage>>>
  readonly #limits: SendLimits
  readonly #turns: BulkTurns
  #isResting = false
  #isBlocked = false
  #blockedSinceMs = 0
  #waiting: (() => void)[] = []

  constructor(
    sink: FrameSink,
    encode: (code: number, data: Uint8Array) => Uint8Array,
    clock: Clock,
    turns: BulkTurns,
    limits: SendLimits = SEND_LIMITS,
  ) {
    this.#sink = sink
    this.#encode = encode
    this.#clock = clock
    this.#turns = turns
    this.#limits = limits
    const lane = (bytesMax: number) =>
      createBoundedQueue<QueuedMessage>({
        itemsMax: limits.messagesMax,
        bytesMax,
        sizeOf: ({ data }) => data.length,
      })
    this.#lanes = { urgent: lane(limits.urgentMaxBytes), bulk: lane(limits.bulkMaxBytes) }
  }

  /** Returns false if the lane is full. */
  push(code: number, data: Uint8Array, lane: Lane): boolean {
    if (!this.#lanes[lane].push({ code, data })) return false
    this.#pump()
    return true
  }

  /** Called when the sink accepts more. */
  onDrain(): void {
    this.#isBlocked = false
    this.#pump()
  }

  /** How long the sink has accepted nothing although messages wait. */
  stalledMs(): number {
    return this.#isBlocked ? this.#clock.monotonicMs() - this.#blockedSinceMs : 0
  }

  get bytes(): number {
    return this.#lanes.urgent.bytes + this.#lanes.bulk.bytes
  }

  drained(): Promise<void> {
    if (this.#hasRoom()) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Drops all waiting messages. */
  close(): void {
    this.#lanes.urgent.close()
    this.#lanes.bulk.close()
    while (this.#lanes.urgent.shift() !== undefined);
    while (this.#lanes.bulk.shift() !== undefined);
    this.#isBlocked = false
    this.#wake()
  }

  #pump(): void {
    while (!this.#isBlocked) {
      const message = this.#lanes.urgent.shift() ?? this.#nextBulk()
      if (message === undefined) break
      if (!this.#sink.write(this.#encode(message.code, message.data))) {
        this.#isBlocked = true
        this.#blockedSinceMs = this.#clock.monotonicMs()
      }
    }
    if (this.#hasRoom()) this.#wake()
  }

  /** Also undefined if other connections used up this turn. */
  #nextBulk(): QueuedMessage | undefined {
    if (this.#isResting || this.#lanes.bulk.size === 0) return undefined
    if (this.#turns.hasRoom) {
      const message = this.#lanes.bulk.shift()
      this.#turns.spend(message?.data.length ?? 0)
      return message
    }
    this.#isResting = true
    this.#turns.wait(() => {
      this.#isResting = false
      this.#pump()
    })
    return undefined
  }

  #hasRoom(): boolean {
    const { bytes, size } = this.#lanes.bulk
    return (
      bytes <= this.#limits.bulkMaxBytes / ROOM_DIVISOR && size <= this.#limits.messagesMax / ROOM_DIVISOR
    )
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
