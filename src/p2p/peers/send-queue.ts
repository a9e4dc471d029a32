import { type BoundedQueue, createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import type { Clock } from '#platform/clock.ts'
import type { BulkTurns } from './bulk-turns.ts'
import type { Lane } from './protocol.ts'

/** Where frames go: a socket, or what a test puts in its place. */
export interface FrameSink {
  /** False: it wants no more before it has drained. */
  write(frame: Uint8Array): boolean
}

export interface SendLimits {
  readonly bulkMaxBytes: number
  readonly urgentMaxBytes: number
  readonly messagesMax: number
}

/** Two of the largest messages for each lane. */
export const SEND_LIMITS: SendLimits = {
  bulkMaxBytes: 32 * 1024 * 1024,
  urgentMaxBytes: 32 * 1024 * 1024,
  messagesMax: 10_000,
}

/** There is room for bulk while no more than this part of the lane is used: 1 MiB, so an answer is not made before the last one left. */
const ROOM_DIVISOR = 32

interface QueuedMessage {
  readonly code: number
  readonly data: Uint8Array
}

/**
 * What waits to be sent to one peer. Messages become frames at the last moment, because frames have an order and urgent
 * messages overtake: no more is handed to the socket than it takes at once.
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

  /** False when the lane is full. */
  push(code: number, data: Uint8Array, lane: Lane): boolean {
    if (!this.#lanes[lane].push({ code, data })) return false
    this.#pump()
    return true
  }

  /** The sink takes more again. */
  onDrain(): void {
    this.#isBlocked = false
    this.#pump()
  }

  /** How long the sink has taken nothing although something waits. */
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

  /** Nothing that waits is sent any more. */
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

  /** Undefined also where others had this turn. */
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
