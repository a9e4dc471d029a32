import { type Clock, deadlineFault, type Timer } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import type { Fault } from '#types/fault.ts'
import type { CallOptions, ChannelLimits, TransferList } from './channel-protocol.ts'
import { CANCEL, decodeError, type ErrorFrame, type Frame, REQUEST, type SendFrame } from './channel-wire.ts'

/** The calling side of a channel: the requests sent, and the requests that wait for one of them to be answered. */
export class RequestCaller {
  readonly #send: SendFrame
  readonly #clock: Clock
  readonly #limits: ChannelLimits
  readonly #peer: string
  /** An abandoned request stays here until the other side has ended it, because its work still costs. */
  readonly #sent = new Map<number, Call>()
  readonly #queued = new Map<number, Call>()
  #closed: Error | undefined

  constructor(send: SendFrame, clock: Clock, limits: ChannelLimits, peer: string) {
    this.#send = send
    this.#clock = clock
    this.#limits = limits
    this.#peer = peer
  }

  call(id: number, name: string, params: unknown, options: CallOptions | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal
      if (this.#closed !== undefined) return reject(this.#closed)
      if (signal?.aborted) return reject(signal.reason)
      const mustQueue = !options?.isUrgent && this.#sent.size >= this.#limits.inFlightMax
      if (mustQueue && this.#queued.size >= this.#limits.queuedMax) return reject(fullFault(this.#peer, name))
      const deadlineMs = options?.deadlineMs ?? this.#limits.deadlineMs
      const deadlineAtMs = this.#clock.monotonicMs() + deadlineMs
      const frame: Frame = [REQUEST, id, name, params, deadlineAtMs]
      const call = new Call(id, frame, options?.transfer, resolve, reject)
      if (mustQueue) this.#queued.set(id, call)
      else if (!this.#start(call)) return
      const timer = this.#clock.after(
        deadlineMs,
        () => this.#giveUp(call, deadlineFault(deadlineMs, name)),
        UNREF,
      )
      call.watch(timer, signal, () => this.#giveUp(call, signal?.reason))
    })
  }

  onResult(id: number, result: unknown): void {
    this.#take(id)?.succeed(result)
    this.#startQueued()
  }

  onFailure(id: number, error: ErrorFrame): void {
    this.#take(id)?.fail(decodeError(error))
    this.#startQueued()
  }

  /** Handles the other side's acknowledgement of a cancel. */
  onEnd(id: number): void {
    this.#take(id)?.fail(cancelledFault(this.#peer))
    this.#startQueued()
  }

  close(reason: Error): void {
    this.#closed = reason
    const calls = [...this.#sent.values(), ...this.#queued.values()]
    this.#sent.clear()
    this.#queued.clear()
    for (const call of calls) call.fail(reason)
  }

  #take(id: number): Call | undefined {
    const call = this.#sent.get(id)
    this.#sent.delete(id)
    return call
  }

  #start(call: Call): boolean {
    try {
      this.#send(call.frame!, call.transfer)
    } catch (error) {
      call.fail(error)
      return false
    }
    call.frame = undefined
    this.#sent.set(call.id, call)
    return true
  }

  #startQueued(): void {
    if (this.#queued.size === 0) return
    for (const [id, call] of this.#queued) {
      if (this.#sent.size >= this.#limits.inFlightMax) return
      this.#queued.delete(id)
      this.#start(call)
    }
  }

  #giveUp(call: Call, reason: unknown): void {
    call.fail(reason)
    if (!this.#queued.delete(call.id)) this.#send([CANCEL, call.id])
  }
}

const UNREF = { unref: true } as const

/** A pending request. It settles once and ignores later results. */
class Call {
  readonly id: number
  /** Undefined once it was sent, because its params may be large. */
  frame: Frame | undefined
  readonly transfer: TransferList | undefined
  readonly #resolve: (result: unknown) => void
  readonly #reject: (reason: unknown) => void
  #timer: Timer | undefined
  #signal: AbortSignal | undefined
  #onAbort: (() => void) | undefined

  constructor(
    id: number,
    frame: Frame,
    transfer: TransferList | undefined,
    resolve: (result: unknown) => void,
    reject: (reason: unknown) => void,
  ) {
    this.id = id
    this.frame = frame
    this.transfer = transfer
    this.#resolve = resolve
    this.#reject = reject
  }

  watch(timer: Timer, signal: AbortSignal | undefined, onAbort: () => void): void {
    this.#timer = timer
    if (signal === undefined) return
    this.#signal = signal
    this.#onAbort = onAbort
    signal.addEventListener('abort', onAbort, { once: true })
  }

  succeed(result: unknown): void {
    this.#unwatch()
    this.#resolve(result)
  }

  fail(reason: unknown): void {
    this.#unwatch()
    this.#reject(reason)
  }

  #unwatch(): void {
    this.#timer?.cancel()
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}

export function fullFault(peer: string, name: string): Fault {
  return platformFault('CHANNEL_FULL', {
    sentence: `Too much work waits for ${peer}; ${name} was refused. Try again later.`,
    name,
  })
}

export function cancelledFault(peer: string): Fault {
  return platformFault('CANCELLED', { sentence: `The work was cancelled by ${peer}.` })
}
