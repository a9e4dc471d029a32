import { assert } from '#types/assert.ts'
import { type BoundedQueue, createBoundedQueue } from './bounded-queue.ts'
import type { ChannelLimits, EventContext, EventVerdict, TransferList } from './channel-protocol.ts'
import { EVENT, NEWS_CREDIT, NEWS_STOP, type SendFrame } from './channel-wire.ts'

interface Outlet {
  sequence: number
  /** Undefined while the other side does not listen. */
  credit: number | undefined
  readonly buffer: BoundedQueue<
    readonly [sequence: number, event: unknown, transfer: TransferList | undefined]
  >
  ready: PromiseWithResolvers<void> | undefined
}

/** Publishes events. Each name has its own flow control, so a slow listener does not delay other names. */
export class EventPublisher {
  readonly #send: SendFrame
  readonly #limits: ChannelLimits
  readonly #outlets = new Map<string, Outlet>()
  readonly #onError: (error: unknown) => void
  #closed: Error | undefined

  constructor(send: SendFrame, limits: ChannelLimits, onError: (error: unknown) => void) {
    this.#send = send
    this.#limits = limits
    this.#onError = onError
  }

  publish(name: string, event: unknown, transfer: TransferList | undefined): EventVerdict {
    const outlet = this.#outletOf(name)
    outlet.sequence += 1
    if (outlet.credit === undefined || this.#closed !== undefined) return 'unheard'
    if (outlet.credit > 0) {
      this.#send([EVENT, name, outlet.sequence, event], transfer)
      outlet.credit -= 1
      return 'sent'
    }
    const isFull = outlet.buffer.size >= this.#limits.newsBufferMax
    // The newest item matters most, and the listener detects the gap by its sequence number.
    if (isFull) outlet.buffer.shift()
    outlet.buffer.push([outlet.sequence, event, transfer])
    return isFull ? 'dropped' : 'buffered'
  }

  async ready(name: string): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed
    const outlet = this.#outletOf(name)
    if (outlet.credit === undefined || outlet.credit > 0) return
    outlet.ready ??= Promise.withResolvers()
    await outlet.ready.promise
  }

  onCredit(name: string, count: number): void {
    const outlet = this.#outletOf(name)
    let credit = (outlet.credit ?? 0) + count
    while (credit > 0 && outlet.buffer.size > 0) {
      const [sequence, event, transfer] = outlet.buffer.shift()!
      try {
        this.#send([EVENT, name, sequence, event], transfer)
        credit -= 1
      } catch (error) {
        this.#onError(error)
      }
    }
    outlet.credit = credit
    if (credit > 0) this.#wake(outlet)
  }

  onStop(name: string): void {
    const outlet = this.#outletOf(name)
    outlet.credit = undefined
    while (outlet.buffer.shift() !== undefined);
    this.#wake(outlet)
  }

  close(reason: Error): void {
    this.#closed = reason
    for (const outlet of this.#outlets.values()) outlet.ready?.reject(reason)
    this.#outlets.clear()
  }

  #wake(outlet: Outlet): void {
    outlet.ready?.resolve()
    outlet.ready = undefined
  }

  #outletOf(name: string): Outlet {
    let outlet = this.#outlets.get(name)
    if (outlet === undefined) {
      const buffer: Outlet['buffer'] = createBoundedQueue({ itemsMax: this.#limits.newsBufferMax })
      outlet = { sequence: 0, credit: undefined, buffer, ready: undefined }
      this.#outlets.set(name, outlet)
    }
    return outlet
  }
}

type Listener = (event: unknown, context: EventContext) => void | Promise<void>

interface Inlet {
  readonly listener: Listener
  readonly waiting: BoundedQueue<readonly [sequence: number, event: unknown]>
  lastSequence: number | undefined
  heard: number
  isBusy: boolean
}

/** Receives events in order, one at a time, and grants more credit as the listener progresses. */
export class EventReceiver {
  readonly #send: SendFrame
  readonly #window: number
  readonly #onError: (error: unknown) => void
  readonly #inlets = new Map<string, Inlet>()

  constructor(send: SendFrame, limits: ChannelLimits, onError: (error: unknown) => void) {
    this.#send = send
    this.#window = limits.newsWindow
    this.#onError = onError
  }

  listen(name: string, listener: Listener): () => void {
    assert(!this.#inlets.has(name), `${name} has one listener on this channel`)
    const waiting: Inlet['waiting'] = createBoundedQueue({ itemsMax: this.#window })
    const inlet: Inlet = { listener, waiting, lastSequence: undefined, heard: 0, isBusy: false }
    this.#inlets.set(name, inlet)
    this.#send([NEWS_CREDIT, name, this.#window])
    return () => {
      if (this.#inlets.get(name) !== inlet) return
      this.#inlets.delete(name)
      this.#send([NEWS_STOP, name])
    }
  }

  onEvent(name: string, sequence: number, event: unknown): void {
    const inlet = this.#inlets.get(name)
    // A sender that ignores its window loses events, and the listener sees the gap.
    if (inlet === undefined || !inlet.waiting.push([sequence, event])) return
    if (!inlet.isBusy) void this.#work(name, inlet)
  }

  close(): void {
    this.#inlets.clear()
  }

  async #work(name: string, inlet: Inlet): Promise<void> {
    inlet.isBusy = true
    for (let next = inlet.waiting.shift(); next !== undefined; next = inlet.waiting.shift()) {
      if (this.#inlets.get(name) !== inlet) break
      const [sequence, event] = next
      const missed = sequence - (inlet.lastSequence ?? sequence - 1) - 1
      inlet.lastSequence = sequence
      try {
        const slow = inlet.listener(event, { sequence, missed })
        if (slow !== undefined) await slow
      } catch (error) {
        this.#onError(error)
      }
      this.#grant(name, inlet)
    }
    inlet.isBusy = false
  }

  /** Grants credit in batches: one message per half window instead of one per item. */
  #grant(name: string, inlet: Inlet): void {
    const batch = Math.max(1, this.#window >> 1)
    inlet.heard += 1
    if (inlet.heard < batch || this.#inlets.get(name) !== inlet) return
    inlet.heard = 0
    this.#send([NEWS_CREDIT, name, batch])
  }
}
