import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Method } from '#rpc/define-method.ts'
import type { DispatchMetrics } from '#rpc/dispatch/dispatch-metrics.ts'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import type { Envelope } from '#rpc/dispatch/envelope.ts'
import { type RpcError, rpcError } from '#rpc/errors.ts'
import type { CallerLimits } from '#rpc/limits/call-limits.ts'
import type { Registry } from '#rpc/registry/registry.ts'
import { type Call, describeCall, type Reply } from './call.ts'
import { CallCharges } from './charge-call.ts'
import { presentResult } from './present-result.ts'
import { CallRefusals } from './refuse-call.ts'
import { CallRunner, type RunnerOptions } from './run-call.ts'

export interface ExecutorOptions extends RunnerOptions {
  /** undefined: callers may use as much as they want. */
  readonly callLimits?: CallerLimits | undefined
  readonly metrics: DispatchMetrics
  readonly log: Log
  readonly clock: Clock
}

/** Takes one request through stages 5 to 9: find the method, charge and authorise, decode, run, present. */
export class CallExecutor {
  readonly #registry: Registry
  readonly #charges: CallCharges
  readonly #runner: CallRunner
  readonly #refusals: CallRefusals
  readonly #metrics: DispatchMetrics
  readonly #clock: Clock

  constructor(options: ExecutorOptions) {
    const { registry, callLimits, metrics, log, clock } = options
    this.#registry = registry
    this.#charges = new CallCharges(callLimits, clock)
    this.#runner = new CallRunner(options, this.#charges)
    this.#refusals = new CallRefusals(metrics, log)
    this.#metrics = metrics
    this.#clock = clock
  }

  /** Every outcome of a method is an answer. Undefined for a notification. */
  async answer(envelope: Envelope, context: CallContext): Promise<Reply | undefined> {
    switch (envelope.kind) {
      case 'notification':
        // Nobody waits for an answer, so nobody learns that it was one too many.
        this.#overLimit(undefined, context)
        return undefined
      case 'invalid': {
        const error = this.#overLimit(undefined, context) ?? rpcError('INVALID_REQUEST')
        return this.#refusals.refuse(envelope.id, undefined, error, context)
      }
      case 'request': {
        const { id, method: name, params } = envelope
        return await this.#execute({ id, name, params, context })
      }
    }
  }

  async #execute(call: Call): Promise<Reply> {
    const { id, name, context } = call
    const found = this.#registry.find(name)
    // Calls of unknown names and calls without a grant take time too.
    const overLimit = this.#overLimit(found.ok ? found.method : undefined, context)
    if (overLimit !== undefined) return this.#refusals.refuse(id, name, overLimit, context)
    if (!found.ok) return this.#refusals.refuse(id, name, found.error, context)
    if (!context.caller.mayCall(name)) {
      context.caller.noteRefusal?.(describeCall(name, context))
      return this.#refusals.refuse(id, name, rpcError('UNAUTHORIZED'), context)
    }
    const startMs = this.#clock.monotonicMs()
    try {
      const result = await this.#runner.run(found.method, call)
      const onFailure = (thrown: unknown) =>
        this.#refusals.note(name, this.#refusals.translate(thrown, name, context), context)
      return { error: null, body: await presentResult(call, result, onFailure) }
    } catch (thrown) {
      return this.#refusals.refuse(id, name, this.#refusals.translate(thrown, name, context), context)
    } finally {
      // A streamed result counts until its first chunk: the speed of the client's reading is no time of ours.
      this.#metrics.onCall(name, this.#clock.monotonicMs() - startMs)
    }
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
