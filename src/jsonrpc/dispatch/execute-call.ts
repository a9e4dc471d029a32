import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { type RpcError, rpcError, translateError } from '#jsonrpc/errors.ts'
import { type CallerLimits, retryAfterOf } from '#jsonrpc/limits/call-limits.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import { isStream, type Method } from '#jsonrpc/method.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { Fault } from '#types/fault.ts'
import { formatError } from './answer.ts'
import { type Call, describeCall, type Reply } from './call.ts'
import type { DispatchMetrics } from './dispatch-metrics.ts'
import type { Envelope } from './envelope.ts'
import { CallCharges, CallRunner, presentStream, presentValue, type RunnerOptions } from './run-call.ts'

export interface ExecutorOptions extends RunnerOptions, Omit<RefusalOptions, 'api'> {
  readonly callLimits?: CallerLimits | undefined
  readonly clock: Clock
}

/** Takes one request through stages 5 to 9: find the method, charge and authorise, decode, run, present. */
export class CallExecutor {
  readonly #options: ExecutorOptions
  readonly #charges: CallCharges
  readonly #runner: CallRunner
  readonly #refusals: CallRefusals

  constructor(options: ExecutorOptions) {
    this.#options = options
    this.#charges = new CallCharges(options.callLimits, options.clock)
    this.#runner = new CallRunner(options, this.#charges)
    this.#refusals = new CallRefusals(options)
  }

  /** Never fails because of a method. Returns undefined for a notification, and a promise only for work that waits. */
  answer(envelope: Envelope, context: CallContext): Reply | undefined | Promise<Reply> {
    switch (envelope.kind) {
      case 'notification':
        // A notification has no answer, so its sender does not learn that it was over the limit.
        this.#overLimit(undefined, context)
        return undefined
      case 'invalid': {
        const error = this.#overLimit(undefined, context) ?? rpcError('INVALID_REQUEST')
        return this.#refusals.refuse(envelope.id, undefined, error, context)
      }
      case 'request': {
        const { id, method: name, params } = envelope
        return this.#execute({ id, name, params, context })
      }
    }
  }

  #execute(call: Call): Reply | Promise<Reply> {
    const { id, name, context } = call
    const { registry, metrics, clock } = this.#options
    const found = registry.find(name)
    // Unknown names and missing grants are charged, because they take time too.
    const overLimit = this.#overLimit(found.ok ? found.method : undefined, context)
    if (overLimit !== undefined) return this.#refusals.refuse(id, name, overLimit, context)
    if (!found.ok) return this.#refusals.refuse(id, name, found.error, context)
    if (!context.caller.mayCall(name)) {
      context.caller.noteRefusal?.(describeCall(name, context))
      return this.#refusals.refuse(id, name, rpcError('UNAUTHORIZED'), context)
    }
    const startMs = clock.monotonicMs()
    // A streamed result counts until its first chunk: how fast the client reads is not our time.
    const end = (reply: Reply): Reply => {
      metrics.onCall(name, clock.monotonicMs() - startMs)
      return reply
    }
    try {
      const result = this.#runner.run(found.method, call)
      if (result instanceof Promise || isStream(result)) return this.#settle(call, result).then(end)
      return end({ error: null, body: presentValue(call, result) })
    } catch (thrown) {
      return end(this.#failed(call, thrown))
    }
  }

  async #settle(call: Call, running: unknown): Promise<Reply> {
    const { name, context } = call
    try {
      const result = await running
      if (!isStream(result)) return { error: null, body: presentValue(call, result) }
      const onFailure = (thrown: unknown) =>
        this.#refusals.note(name, this.#refusals.translate(thrown, name, context), context)
      return { error: null, body: await presentStream(call, result, onFailure) }
    } catch (thrown) {
      return this.#failed(call, thrown)
    }
  }

  #failed({ id, name, context }: Call, thrown: unknown): Reply {
    return this.#refusals.refuse(id, name, this.#refusals.translate(thrown, name, context), context)
  }

  /** Charges a call. Returns the refusal if its caller has used up its limit. */
  #overLimit(method: Method | undefined, context: CallContext): RpcError | undefined {
    try {
      this.#charges.charge(method, context)
      return undefined
    } catch (thrown) {
      return this.#refusals.translate(thrown, method?.name, context)
    }
  }
}

export interface RefusalOptions {
  readonly api: Pick<ServedApi, 'faults'>
  readonly metrics: DispatchMetrics
  readonly log: Log
}

/** Stage 9 for calls that fail: translates, counts and logs the error and makes the answer. */
export class CallRefusals {
  readonly #options: RefusalOptions

  constructor(options: RefusalOptions) {
    this.#options = options
  }

  /** `name` is undefined if the request has no readable one. */
  refuse(id: string, name: string | undefined, error: RpcError, context: CallContext): Reply {
    this.note(name, error, context)
    const retryAfterSeconds = error.kind === 'LIMIT_EXCEEDED' ? retryAfterOf(error) : undefined
    return { error: error.kind, body: formatError(id, error), retryAfterSeconds }
  }

  translate(thrown: unknown, name: string | undefined, context: CallContext): RpcError {
    // The code that aborts may give any reason.
    if (context.signal.aborted && thrown === context.signal.reason) return rpcError('TIMEOUT_ERROR')
    return translateError(thrown, this.#options.api.faults, (err) =>
      this.#options.log.error(JSONRPC_PROBLEMS.methodFailed, {
        ...describeCall(name, context),
        err,
      }),
    )
  }

  /** Counts and logs a failed request, never its content. */
  note(name: string | undefined, { kind }: RpcError, context: CallContext): void {
    // Clients invent unknown names, and each would become a label.
    if (name !== undefined && kind !== 'METHOD_NOT_FOUND') this.#options.metrics.onError(name, kind)
    if (kind === 'INTERNAL_ERROR') return // `translate` has logged it with its stack.
    // Any client can make any number of mistakes, so they are logged only at debug level.
    const { log } = this.#options
    const fields = { ...describeCall(name, context), error: kind }
    if (kind !== 'TIMEOUT_ERROR') log.debug('Request failed', fields)
    else if (clientLeft(context)) log.debug('Client disconnected before the answer', fields)
    else log.warn(JSONRPC_PROBLEMS.requestTimedOut, fields)
  }
}

/** Clients leave all the time; only timeouts deserve a warning. */
function clientLeft({ signal: { reason } }: CallContext): boolean {
  return reason instanceof Fault && reason.kind === 'CANCELLED'
}
