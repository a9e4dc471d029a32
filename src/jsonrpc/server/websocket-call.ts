import type { Notifier } from '#jsonrpc/dispatch/notifier.ts'
import type { CallContext, Caller, Connection } from '#jsonrpc/dispatcher.ts'
import { deadlineFault } from '#platform/clock.ts'
import type { Expirable } from './deadlines.ts'
import { LazyAbort } from './deadlines.ts'
import { nameRequest } from './request-id.ts'

export interface WebSocketOrigin {
  readonly traceparent: string | undefined
  readonly remoteAddress: string
}

/** One message of a connection. After its timeout the call is aborted, and its answer is still sent. */
export class WebSocketCall implements CallContext, Expirable {
  readonly transport = 'websocket'
  readonly caller: Caller
  readonly traceparent: string | undefined
  readonly remoteAddress: string
  dueMs = 0
  readonly #notifier: Notifier
  readonly #timeoutMs: number
  readonly #abort = new LazyAbort()
  #requestId: string | undefined
  #isHolding = false

  constructor(caller: Caller, notifier: Notifier, timeoutMs: number, origin: WebSocketOrigin) {
    this.caller = caller
    this.#notifier = notifier
    this.#timeoutMs = timeoutMs
    this.traceparent = origin.traceparent
    this.remoteAddress = origin.remoteAddress
  }

  get connection(): Connection {
    if (!this.#isHolding) this.#notifier.hold()
    this.#isHolding = true
    return this.#notifier
  }

  onAnswered(): void {
    if (this.#isHolding) this.#notifier.release()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get requestId(): string {
    this.#requestId ??= nameRequest('websocket')
    return this.#requestId
  }

  abort(reason: Error): void {
    this.#abort.abort(reason)
  }

  onDeadline(): void {
    this.#abort.abort(deadlineFault(this.#timeoutMs, 'The call'))
  }
}
