import { CHANGE_SUBJECTS, type ChangeSubject } from '#rpc/audit/audit-record.ts'
import { runAudited } from '#rpc/audit/audited-call.ts'
import { resourcesFor } from '#rpc/audit/changing-resources.ts'
import type { Method } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { NEEDS_CONNECTION, type Registry } from '#rpc/registry/registry.ts'
import { type HandedResources, isOnEngineThreads, type Resources } from '#rpc/resources.ts'
import { assert } from '#types/assert.ts'
import type { BriefRunner } from './brief-runner.ts'
import type { Call } from './call.ts'
import { CancelCell } from './cancel-cell.ts'
import type { CallCharges } from './charge-call.ts'
import { ResultText } from './present-result.ts'
import type { RemoteEngine } from './remote-engine.ts'
import { isStream, unlessAborted } from './result-stream.ts'
import { runSettled } from './run-settled.ts'

type Values = Readonly<Record<string, unknown>>

export interface RunnerOptions {
  /** That of the transport whose requests are executed. */
  readonly registry: Registry
  /** Of this thread. */
  readonly resources: HandedResources
  /** Where methods that need 'engine' run when this thread has none. */
  readonly remoteEngine?: RemoteEngine | undefined
  /** Asked first, for small work. */
  readonly brief?: BriefRunner | undefined
}

/** Stage 7: parameters become values. Throws the error that belongs to them. */
function decodeParams(method: Method, params: readonly unknown[]): Values {
  const decoding = method.decode(params)
  if (!decoding.ok) throw rpcFault(decoding.error)
  return decoding.values
}

/** Stages 7 and 8: decodes and runs a method in its place. Results are values, JSON text or chunks of it. */
export class CallRunner {
  /** For methods that change nothing. */
  readonly #resources: Resources
  readonly #resourcesOfChanges: ReadonlyMap<ChangeSubject, Resources>
  readonly #remoteEngine: RemoteEngine | undefined
  readonly #brief: BriefRunner | undefined
  readonly #places: ReadonlyMap<Method, Place>
  readonly #charges: CallCharges

  constructor({ registry, resources, remoteEngine, brief }: RunnerOptions, charges: CallCharges) {
    // No method that runs here asks for an absent port: placesOf has seen to it.
    const handed = (subject?: ChangeSubject) =>
      ({ ...resourcesFor(resources, subject), apis: registry }) as Partial<Resources> as Resources
    this.#resources = handed()
    this.#resourcesOfChanges = new Map(CHANGE_SUBJECTS.map((subject) => [subject, handed(subject)]))
    this.#remoteEngine = remoteEngine
    this.#brief = brief
    this.#places = placesOf(registry.methods, { ...resources, apis: registry }, remoteEngine)
    this.#charges = charges
  }

  run(method: Method, call: Call): Promise<unknown> {
    switch (this.#places.get(method)!) {
      case 'here':
        return this.#runHere(method, call, this.#resources)
      case 'here, connected':
        return this.#runConnected(method, call)
      case 'here, changing':
        return unlessAborted(this.#runChange(method, call), call.context.signal)
      case 'here, with the engine':
        return this.#charges.metered(call.context, () => this.#runEngine(method, call))
      case 'engine thread':
        return this.#runRemotely(method, call)
    }
  }

  async #runHere(method: Method, { params, context }: Call, resources: Resources): Promise<unknown> {
    const running = method.run(resources, decodeParams(method, params), context)
    return running instanceof Promise ? await unlessAborted(running, context.signal) : running
  }

  async #runConnected(method: Method, call: Call): Promise<unknown> {
    const { connection } = call.context
    if (connection === undefined) throw rpcFault(NEEDS_CONNECTION.kind, NEEDS_CONNECTION)
    return await this.#runHere(method, call, { ...this.#resources, connection })
  }

  /** A call with wrong parameters changes nothing, and is written down as well: somebody tried. */
  #runChange(method: Method, { name, params, context }: Call): Promise<unknown> {
    const { what: subject, observe } = method.changes!
    const resources = this.#resourcesOfChanges.get(subject)!
    const decoding = method.decode(params)
    return runAudited(resources.audit, {
      subject,
      method: name,
      params,
      context,
      observe: decoding.ok ? () => observe(resources, decoding.values) : undefined,
      run: () => {
        if (!decoding.ok) throw rpcFault(decoding.error)
        return method.run(resources, decoding.values, context)
      },
    })
  }

  async #runEngine(method: Method, { params, context: { signal } }: Call): Promise<unknown> {
    const values = decodeParams(method, params)
    const resolved = await this.#resolve(method, values, signal)
    const cell = new CancelCell(signal)
    let chunks: AsyncIterable<string> | undefined
    try {
      const running = runSettled(method, this.#resources, values, { signal, cancel: cell.memory, resolved })
      const result = await unlessAborted(running, signal)
      if (!isStream(result)) return result
      chunks = cell.releaseAfter(result)
      return chunks
    } finally {
      if (chunks === undefined) cell.release()
    }
  }

  /** Parameters travel as they came: the engine thread decodes them, and `resolve` needs them decoded here too. */
  async #runRemotely(method: Method, { params, context }: Call): Promise<unknown> {
    const resolved =
      method.resolve && (await this.#resolve(method, decodeParams(method, params), context.signal))
    const small = this.#brief
    const brief =
      small && (await this.#charges.metered(context, () => small.run(method, params, context, resolved)))
    if (brief !== undefined) return brief.result
    const result = await this.#remoteEngine!.execute(method.name, params, context, resolved)
    return typeof result === 'string' ? new ResultText(result) : result
  }

  async #resolve(method: Method, values: Values, signal: AbortSignal): Promise<unknown> {
    const resolving = method.resolve?.(this.#resources, values)
    return resolving instanceof Promise ? await unlessAborted(resolving, signal) : resolving
  }
}

type Place = 'here' | 'here, connected' | 'here, changing' | 'here, with the engine' | 'engine thread'

/** `needs` and `changes` alone decide where a method runs. */
function placesOf(
  methods: readonly Method[],
  resources: Partial<Resources>,
  remoteEngine: RemoteEngine | undefined,
): ReadonlyMap<Method, Place> {
  return new Map(methods.map((method) => [method, placeOf(method)]))

  function placeOf({ name, needs, changes }: Method): Place {
    const missing = needs.filter((need) => resources[need] === undefined && need !== 'connection')
    const needsEngine = needs.includes('engine')
    if (missing.length > 0) {
      const mayMove = needsEngine && remoteEngine !== undefined
      assert(mayMove && missing.every(isOnEngineThreads), `${name} is handed '${missing.join("', '")}'.`)
      return 'engine thread'
    }
    if (needs.includes('connection')) return 'here, connected'
    if (changes !== undefined) return 'here, changing'
    return needsEngine ? 'here, with the engine' : 'here'
  }
}
