import type { Engine } from '#evm/engine.ts'
import type { Method } from '#rpc/define-method.ts'
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { HandedResources, Resources } from '#rpc/resources.ts'
import { Fault } from '#types/fault.ts'
import { runSettled } from './run-settled.ts'

/** Kinds of requests that turned out to be long; when there are more, all are tried anew. */
const LONG_MAX = 1_024

/**
 * Small work of methods that need 'engine', done on the thread that has the request: to hand it to an engine thread and
 * back costs more than to do it. The engine itself ends what is not small, and then an engine thread does it after all.
 */
export class BriefRunner {
  readonly #resources: Resources
  readonly #long = new Set<string>()

  /** `engine`: one whose sessions are brief. */
  constructor(resources: HandedResources, engine: Engine) {
    // Methods that need 'engine' are handed nothing else than a server has too: defineMethod has made sure.
    this.#resources = { ...resources, engine } as Resources
  }

  /** undefined: it is no small work. */
  async run(
    method: Method,
    params: readonly unknown[],
    context: Pick<CallContext, 'signal'>,
    resolved?: unknown,
  ): Promise<{ readonly result: unknown } | undefined> {
    const kind = method.briefKind?.(params)
    if (kind === undefined || this.#long.has(kind)) return undefined
    const decoding = method.decode(params)
    if (!decoding.ok) throw rpcFault(decoding.error)
    // Most methods have nothing resolved, and the context makes its signal only when somebody looks.
    const told = resolved === undefined ? context : { signal: context.signal, resolved }
    try {
      return { result: await runSettled(method, this.#resources, decoding.values, told) }
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'ENGINE_EXHAUSTED') throw error
      if (this.#long.size >= LONG_MAX) this.#long.clear()
      this.#long.add(kind)
      return undefined
    }
  }
}
