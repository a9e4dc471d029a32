import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { type BoundedQueue, createBoundedQueue } from './bounded-queue.ts'
import { fullFault } from './channel-caller.ts'
import type { CallOptions, ChannelLimits } from './channel-protocol.ts'
import {
  CANCEL,
  decodeError,
  type ErrorFrame,
  type SendFrame,
  STREAM,
  STREAM_CREDIT,
} from './channel-wire.ts'

/** The reading half of streams. It grants the producer as many chunks as it can hold. */
export class StreamReader {
  readonly #send: SendFrame
  readonly #clock: Clock
  readonly #limits: ChannelLimits
  readonly #peer: string
  /** A stream that its reader left early stays until the producer has ended, because its work still costs. */
  readonly #streams = new Map<number, Inlet>()
  #closed: Error | undefined

  constructor(send: SendFrame, clock: Clock, limits: ChannelLimits, peer: string) {
    this.#send = send
    this.#clock = clock
    this.#limits = limits
    this.#peer = peer
  }

  async *read(
    id: number,
    name: string,
    params: unknown,
    options: CallOptions = {},
  ): AsyncGenerator<unknown, void, void> {
    const { streamsMax, streamWindow } = this.#limits
    if (this.#closed !== undefined) throw this.#closed
    options.signal?.throwIfAborted()
    if (this.#streams.size >= streamsMax) throw fullFault(this.#peer, name)
    const deadlineMs = options.deadlineMs ?? this.#limits.deadlineMs
    const deadlineAtMs = this.#clock.monotonicMs() + deadlineMs
    this.#send([STREAM, id, name, params, deadlineAtMs, streamWindow], options.transfer)
    // One slot more than the window, for the end.
    const inlet: Inlet = createBoundedQueue({ itemsMax: streamWindow + 1 })
    this.#streams.set(id, inlet)
    const signal = deadlineSignal(this.#clock, deadlineMs, options.signal, name)
    try {
      yield* this.#chunks(id, inlet, signal)
    } finally {
      signal.clear()
      if (this.#streams.has(id)) this.#send([CANCEL, id])
    }
  }

  onChunk(id: number, chunk: unknown): void {
    const inlet = this.#streams.get(id)
    // A producer that exceeds its credit is cut off: its reader sees QUEUE_CLOSED.
    if (inlet?.push({ chunk }) === false) inlet.close()
  }

  onEnd(id: number): void {
    this.#end(id, undefined)
  }

  onFailure(id: number, error: ErrorFrame): void {
    this.#end(id, decodeError(error))
  }

  close(reason: Error): void {
    this.#closed = reason
    for (const id of [...this.#streams.keys()]) this.#end(id, reason)
  }

  #end(id: number, error: Error | undefined): void {
    const inlet = this.#streams.get(id)
    this.#streams.delete(id)
    inlet?.push({ error })
  }

  async *#chunks(id: number, inlet: Inlet, signal: AbortSignal): AsyncGenerator<unknown, void, void> {
    const batch = Math.max(1, this.#limits.streamWindow >> 1)
    for (let unread = 0; ; ) {
      const item = await inlet.take(signal)
      if ('error' in item) {
        if (item.error !== undefined) throw item.error
        return
      }
      yield item.chunk
      // Credit returns in batches: one message per half window instead of one per chunk.
      unread += 1
      if (unread === batch && this.#streams.has(id)) {
        this.#send([STREAM_CREDIT, id, batch])
        unread = 0
      }
    }
  }
}

/** Unread chunks. An item with `error`, even if undefined, is the last. */
type Inlet = BoundedQueue<{ readonly chunk: unknown } | { readonly error: Error | undefined }>
