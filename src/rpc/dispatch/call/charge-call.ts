import type { Clock } from '#platform/clock.ts'
import type { Method } from '#rpc/define-method.ts'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import type { CallerLimits } from '#rpc/limits/call-limits.ts'
import { EngineMeter } from '#rpc/limits/engine-meter.ts'
import { isStream } from './result-stream.ts'

/** Stage 6, first half: charges callers for their calls and for the engine time of this thread. */
export class CallCharges {
  /** undefined: callers may use as much as they want. */
  readonly #limits: CallerLimits | undefined
  readonly #meter: EngineMeter

  constructor(limits: CallerLimits | undefined, clock: Clock) {
    this.#limits = limits
    this.#meter = new EngineMeter(clock)
  }

  /** Throws LIMIT_EXCEEDED if the caller has used up its limit. `method` is undefined if no such method is served. */
  charge(method: Method | undefined, context: CallContext): void {
    this.#limits?.admit(context, method?.cost ?? 'light', method?.needs.includes('engine') === true)
  }

  /** Charges the caller for the time that `work` keeps the engine of this thread busy. */
  async metered<Result>(context: CallContext, work: () => Promise<Result>): Promise<Result> {
    const limits = this.#limits
    if (limits === undefined) return await work()
    const charge = (ms: number): void => limits.chargeEngine(context, ms)
    const result = await this.#meter.run(work, charge)
    return isStream(result) ? (this.#meter.chunks(result, charge) as Result) : result
  }
}
