import { type Clock, deadlineFault, type Timer } from '#platform/clock.ts'
import { platformFault } from '#platform/faults.ts'
import { AssertionFailure } from '#types/assert.ts'
import { cancelledFault, fullFault } from './channel-caller.ts'
import { type ChannelLimits, type HandlerContext, Transferring } from './channel-protocol.ts'
import { CHUNK, END, encodeError, FAILURE, RESULT, type SendFrame, withoutDetails } from './channel-wire.ts'

/** Handlers without their types: names arrive as text from the other thread. */
export interface UntypedHandlers {
  readonly requests?: Readonly<Record<string, (params: unknown, context: HandlerContext) => unknown>>
  readonly streams?: Readonly<
    Record<string, (params: unknown, context: HandlerContext) => AsyncIterable<unknown>>
  >
}

/** The answering half: runs handlers and reports to the caller how each ended, exactly once. */
export class Answerer {
  readonly #send: SendFrame
  readonly #clock: Clock
  readonly #limits: ChannelLimits
  readonly #peer: string
  readonly #handlers: UntypedHandlers
  readonly #serving = new Map<number, Serving>()

  constructor(send: SendFrame, clock: Clock, limits: ChannelLimits, peer: string, handlers: UntypedHandlers) {
    this.#send = send
    this.#clock = clock
    this.#limits = limits
    this.#peer = peer
    this.#handlers = handlers
  }

  onRequest(id: number, name: string, params: unknown, deadlineAtMs: number): void {
    const serving = this.#begin(id, name, deadlineAtMs)
    if (serving === undefined) return
    try {
      const result = handlerOf(this.#handlers.requests, name)(params, serving)
      if (result instanceof Promise) {
        result.then(
          (value) => this.#answer(id, serving, value),
          (error) => this.#fail(id, serving, error),
        )
      } else this.#answer(id, serving, result)
    } catch (error) {
      this.#fail(id, serving, error)
    }
  }

  onStream(id: number, name: string, params: unknown, deadlineAtMs: number, window: number): void {
    const serving = this.#begin(id, name, deadlineAtMs)
    if (serving === undefined) return
    serving.grant(window)
    this.#produce(id, name, params, serving).then(
      () => this.#end(id, serving),
      (error) => this.#fail(id, serving, error),
    )
  }

  onCredit(id: number, count: number): void {
    this.#serving.get(id)?.grant(count)
  }

  onCancel(id: number): void {
    this.#serving.get(id)?.cancel(cancelledFault(this.#peer))
  }

  close(reason: Error): void {
    const all = [...this.#serving.values()]
    this.#serving.clear()
    for (const serving of all) serving.cancel(reason)
  }

  #begin(id: number, name: string, deadlineAtMs: number): Serving | undefined {
    if (this.#clock.monotonicMs() >= deadlineAtMs) this.#sendFailure(id, lateFault(name))
    else if (this.#serving.size >= this.#limits.servingMax)
      this.#sendFailure(id, fullFault('this thread', name))
    else {
      const serving = new Serving(this.#clock, deadlineAtMs, name)
      this.#serving.set(id, serving)
      return serving
    }
    return undefined
  }

  async #produce(id: number, name: string, params: unknown, serving: Serving): Promise<void> {
    for await (const item of handlerOf(this.#handlers.streams, name)(params, serving)) {
      if (serving.isCancelled) return
      if (item instanceof Transferring) this.#send([CHUNK, id, item.value], item.transfer)
      else this.#send([CHUNK, id, item])
      await serving.spendCredit()
      if (serving.isCancelled) return
    }
  }

  #answer(id: number, serving: Serving, result: unknown): void {
    if (serving.isCancelled) {
      this.#end(id, serving)
      return
    }
    try {
      if (result instanceof Transferring) this.#send([RESULT, id, result.value], result.transfer)
      else this.#send([RESULT, id, result])
      this.#forget(id, serving)
    } catch (error) {
      this.#fail(id, serving, error)
    }
  }

  #fail(id: number, serving: Serving, error: unknown): void {
    this.#forget(id, serving)
    this.#sendFailure(id, error)
  }

  #end(id: number, serving: Serving): void {
    this.#forget(id, serving)
    this.#send([END, id])
  }

  #forget(id: number, serving: Serving): void {
    serving.end()
    this.#serving.delete(id)
  }

  #sendFailure(id: number, error: unknown): void {
    const frame = encodeError(error)
    try {
      this.#send([FAILURE, id, frame])
    } catch {
      this.#send([FAILURE, id, withoutDetails(frame)])
    }
  }
}

/** One request or stream in progress. Its signal and timer are created only if the handler reads them. */
class Serving implements HandlerContext {
  readonly deadlineAtMs: number
  isCancelled = false
  readonly #clock: Clock
  readonly #name: string
  #reason: unknown
  #controller: AbortController | undefined
  #timer: Timer | undefined
  #credit = 0
  #resume: (() => void) | undefined

  constructor(clock: Clock, deadlineAtMs: number, name: string) {
    this.deadlineAtMs = deadlineAtMs
    this.#clock = clock
    this.#name = name
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.isCancelled) this.#controller.abort(this.#reason)
      else this.#armDeadline()
    }
    return this.#controller.signal
  }

  grant(count: number): void {
    this.#credit += count
    this.#resume?.()
  }

  /** Resolves when the next chunk may be sent, or when the stream is cancelled. */
  async spendCredit(): Promise<void> {
    this.#credit -= 1
    while (this.#credit <= 0 && !this.isCancelled) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve
      })
    }
  }

  cancel(reason: unknown): void {
    this.end()
    if (this.isCancelled) return
    this.isCancelled = true
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#resume?.()
  }

  end(): void {
    this.#timer?.cancel()
  }

  #armDeadline(): void {
    const remainingMs = Math.max(0, this.deadlineAtMs - this.#clock.monotonicMs())
    const onDeadline = (): void => this.cancel(deadlineFault(Math.ceil(remainingMs), this.#name))
    this.#timer = this.#clock.after(remainingMs, onDeadline, { unref: true })
  }
}

function lateFault(name: string) {
  const sentence = `${name} arrived after its deadline and was not started.`
  return platformFault('DEADLINE_EXCEEDED', { sentence })
}

function handlerOf<Handler>(handlers: Readonly<Record<string, Handler>> | undefined, name: string): Handler {
  const handler = handlers !== undefined && Object.hasOwn(handlers, name) ? handlers[name] : undefined
  if (handler === undefined) throw new AssertionFailure(`this side of the channel offers ${name}`)
  return handler
}
