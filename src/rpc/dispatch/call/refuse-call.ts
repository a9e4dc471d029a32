import type { Log } from '#platform/log/log.ts'
import { formatError } from '#rpc/dispatch/answer.ts'
import type { DispatchMetrics } from '#rpc/dispatch/dispatch-metrics.ts'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import { type RpcError, rpcError, translateError } from '#rpc/errors.ts'
import { retryAfterOf } from '#rpc/limits/call-limits.ts'
import { Fault } from '#types/fault.ts'
import { describeCall, type Reply } from './call.ts'

/** Stage 9 for calls that fail: translates what was thrown, counts it, logs it and makes the answer. */
export class CallRefusals {
  readonly #metrics: DispatchMetrics
  readonly #log: Log

  constructor(metrics: DispatchMetrics, log: Log) {
    this.#metrics = metrics
    this.#log = log
  }

  /** `name` is undefined if the request has no readable one. */
  refuse(id: string, name: string | undefined, error: RpcError, context: CallContext): Reply {
    this.note(name, error, context)
    const body = formatError(id, error)
    const retryAfterSeconds = error.kind === 'LIMIT_EXCEEDED' ? retryAfterOf(error) : undefined
    return retryAfterSeconds === undefined
      ? { error: error.kind, body }
      : { error: error.kind, body, retryAfterSeconds }
  }

  translate(thrown: unknown, name: string | undefined, context: CallContext): RpcError {
    // The code that aborts may give any reason.
    if (context.signal.aborted && thrown === context.signal.reason) return rpcError('TIMEOUT_ERROR')
    return translateError(thrown, (err) =>
      this.#log.error('A method failed because of a bug in Cairn.', { ...describeCall(name, context), err }),
    )
  }

  /** Counts and logs a failed request, never its content. */
  note(name: string | undefined, { kind }: RpcError, context: CallContext): void {
    // Clients invent unknown names, and each would become a label.
    if (name !== undefined && kind !== 'METHOD_NOT_FOUND') this.#metrics.onError(name, kind)
    if (kind === 'INTERNAL_ERROR') return // `translate` has logged it with its stack.
    // Any client can make any number of mistakes, so they are logged only at debug level.
    const hasLeft = kind === 'TIMEOUT_ERROR' && clientLeft(context)
    const level = kind === 'TIMEOUT_ERROR' && !hasLeft ? 'warn' : 'debug'
    const sentence = hasLeft ? 'The client left.' : 'A request failed.'
    this.#log[level](sentence, { ...describeCall(name, context), error: kind })
  }
}

/** Clients leave all the time; time that is up deserves a warning. */
function clientLeft({ signal: { reason } }: CallContext): boolean {
  return reason instanceof Fault && reason.kind === 'CANCELLED'
}
