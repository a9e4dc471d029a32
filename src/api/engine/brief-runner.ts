import type { ThreadResources } from '#api/resources.ts'
import type { Engine } from '#evm/engine.ts'
import type { BriefEngine } from '#jsonrpc/dispatch/remote-engine.ts'
import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { Method } from '#jsonrpc/method.ts'
import { Fault } from '#types/fault.ts'
import { type MaybePromise, settle } from '#types/maybe-promise.ts'
import { runSettled } from './run-settled.ts'

/** Kinds of requests that turned out to be long; if there are more, all are tried again. */
const LONG_MAX = 1_024

/** Runs short calls on the server, because an engine thread would cost more. The engine ends longer calls. */
export class BriefRunner implements BriefEngine {
  readonly #resources: ThreadResources
  readonly #long = new Set<string>()

  /** `engine` is one with brief sessions. */
  constructor(resources: ThreadResources, engine: Engine) {
    // Methods that need 'engine' get only resources that a server has too, as defineMethod ensures.
    this.#resources = { ...resources, engine }
  }

  run(
    method: Method,
    params: readonly unknown[],
    context: Pick<CallContext, 'signal'>,
    resolved?: unknown,
  ): MaybePromise<{ readonly result: unknown } | undefined> {
    const kind = method.briefKind?.(params)
    if (kind === undefined || this.#long.has(kind)) return undefined
    const decoding = method.decode(params)
    if (!decoding.ok) throw rpcFault(decoding.error)
    // Most methods resolve nothing, and the context makes its signal only on demand.
    const told = resolved === undefined ? context : { signal: context.signal, resolved }
    return settle(
      () => runSettled(method, this.#resources, decoding.values, told),
      (result) => ({ result }),
      (error) => {
        if (!(error instanceof Fault) || error.kind !== 'ENGINE_EXHAUSTED') throw error
        if (this.#long.size >= LONG_MAX) this.#long.clear()
        this.#long.add(kind)
        return undefined
      },
    )
  }
}
