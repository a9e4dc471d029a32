import type { AUDIT } from '#jsonrpc/audit/audit-contract.ts'
import { CHANGE_SUBJECTS, type ChangeSubject } from '#jsonrpc/audit/audit-entry.ts'
import { type AuditedCall, resourcesFor, runAudited } from '#jsonrpc/audit/audited-call.ts'
import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import type { CallerLimits } from '#jsonrpc/limits/call-limits.ts'
import { EngineMeter } from '#jsonrpc/limits/engine-meter.ts'
import { type Decoding, type HandedResources, isStream, type Method } from '#jsonrpc/method.ts'
import { NEEDS_CONNECTION, type Registry } from '#jsonrpc/registry/registry.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import type { Clock } from '#platform/clock.ts'
import type { ClientOf } from '#platform/contract.ts'
import { whenFetched } from '#platform/data-pending.ts'
import type { AnswerBody } from '#serve/answer-text.ts'
import { assert } from '#types/assert.ts'
import { type MaybePromise, whenReady } from '#types/maybe-promise.ts'
import { formatResult, resultStart } from './answer.ts'
import type { Call } from './call.ts'
import { CancelCell } from './cancel-cell.ts'
import type { BriefEngine, RemoteEngine } from './remote-engine.ts'
import { openStream, unlessAborted } from './result-stream.ts'

/** Stage 6, first half: charges callers for their calls and for the engine time of this thread. */
export class CallCharges {
  /** Undefined if callers have no limits. */
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
  metered<Result>(context: CallContext, work: () => MaybePromise<Result>): MaybePromise<Result> {
    const limits = this.#limits
    if (limits === undefined) return work()
    return this.#meter.run(work, (ms) => limits.chargeEngine(context, ms))
  }
}

type Values = Readonly<Record<string, unknown>>

export interface RunnerOptions {
  readonly api: ServedApi
  readonly registry: Registry
  readonly resources: HandedResources
  /** Runs methods that need 'engine' if this thread has none. */
  readonly remoteEngine?: RemoteEngine | undefined
  /** Asked first, for short calls. */
  readonly brief?: BriefEngine | undefined
}

/** Stage 7: decodes parameters or throws their error. */
function decodeParams(method: Method, params: readonly unknown[]): Values {
  const decoding = method.decode(params)
  if (!decoding.ok) throw paramFault(decoding)
  return decoding.values
}

function paramFault({ error, reason }: Exclude<Decoding, { readonly ok: true }>): Error {
  return rpcFault(error, reason === undefined ? {} : { reason })
}

/** Stages 7 and 8: decodes and runs a method in its place. Results are values, JSON text or chunks of it. */
export class CallRunner {
  readonly #options: RunnerOptions
  /** For methods that change nothing. */
  readonly #resources: HandedResources
  readonly #resourcesOfChanges: ReadonlyMap<ChangeSubject, HandedResources>
  readonly #places: ReadonlyMap<Method, Place>
  readonly #charges: CallCharges
  /** The last result of each method that is fixed per head. */
  readonly #fixedResults = new Map<Method, FixedResult>()

  constructor(options: RunnerOptions, charges: CallCharges) {
    const { api, registry, resources, remoteEngine } = options
    this.#options = options
    // placesOf ensures that methods which run here find all their resources.
    const handed = (subject?: ChangeSubject): HandedResources => ({
      ...resourcesFor(api.contracts, resources, subject),
      apis: registry,
    })
    this.#resources = handed()
    this.#resourcesOfChanges = new Map(CHANGE_SUBJECTS.map((subject) => [subject, handed(subject)]))
    this.#places = placesOf(
      registry.methods,
      { ...resources, apis: registry },
      remoteEngine && api.engineResources,
    )
    this.#charges = charges
  }

  /** Returns or throws at once if nothing must be waited for. */
  run(method: Method, call: Call): unknown {
    switch (this.#places.get(method)!) {
      case 'here':
        return this.#runHere(method, call, this.#resources)
      case 'here, connected':
        return this.#runConnected(method, call)
      case 'here, changing':
        return unlessAborted(this.#runChange(method, call), call.context.signal)
      case 'here, with the engine':
        return this.#runEngineHere(method, call)
      case 'engine thread':
        return this.#runRemotely(method, call)
    }
  }

  #runHere(method: Method, { params, context }: Call, resources: HandedResources): unknown {
    const values = decodeParams(method, params)
    const running = whenFetched(() => method.run(resources, values, context), context)
    return running instanceof Promise ? unlessAborted(running, context.signal) : running
  }

  #runConnected(method: Method, call: Call): unknown {
    const { connection } = call.context
    if (connection === undefined) throw rpcFault(NEEDS_CONNECTION.kind, NEEDS_CONNECTION)
    return this.#runHere(method, call, { ...this.#resources, connection })
  }

  /** A call with wrong parameters changes nothing and is recorded as well. */
  #runChange(method: Method, { name, params, context }: Call): Promise<unknown> {
    const { what: subject, observe } = method.changes!
    const resources = this.#resourcesOfChanges.get(subject)!
    const decoding = method.decode(params)
    const call: AuditedCall = {
      subject,
      method: name,
      params,
      context,
      observe: decoding.ok ? () => observe(resources, decoding.values) : undefined,
      run: () => {
        if (!decoding.ok) throw paramFault(decoding)
        return method.run(resources, decoding.values, context)
      },
    }
    return runAudited(resources.audit as ClientOf<typeof AUDIT>, call, this.#options.api.faults)
  }

  /** The caller does not pay for the time in which data is fetched. */
  #runEngineHere(method: Method, call: Call): MaybePromise<unknown> {
    const { context } = call
    const work = () => this.#charges.metered(context, () => this.#runEngine(method, call))
    const running = whenFetched(work, context)
    return running instanceof Promise ? unlessAborted(running, context.signal) : running
  }

  async #runEngine(method: Method, { params, context }: Call): Promise<unknown> {
    const { signal } = context
    const values = decodeParams(method, params)
    const resolved = await this.#resolve(method, values, context)
    const cell = new CancelCell(signal)
    let chunks: AsyncIterable<string> | undefined
    try {
      const told = { signal, cancel: cell.memory, resolved }
      const running = this.#options.api.runOnEngine(method, this.#resources, values, told)
      const result = running instanceof Promise ? await unlessAborted(running, signal) : running
      if (!isStream(result)) return result
      chunks = cell.releaseAfter(result)
      return chunks
    } finally {
      if (chunks === undefined) cell.release()
    }
  }

  /** The engine thread decodes parameters; `resolve` needs them decoded here too. */
  #runRemotely(method: Method, call: Call): MaybePromise<unknown> {
    if (method.resolve === undefined) return this.#runResolved(method, call, undefined)
    const resolving = this.#resolve(method, decodeParams(method, call.params), call.context)
    return whenReady(resolving, (resolved) => this.#runResolved(method, call, resolved))
  }

  #runResolved(method: Method, call: Call, resolved: unknown): MaybePromise<unknown> {
    const { params, context } = call
    const { brief } = this.#options
    const attempt = brief && (() => brief.run(method, params, context, resolved))
    const tried = attempt && whenFetched(() => this.#charges.metered(context, attempt), context)
    return whenReady(tried, (done) =>
      done === undefined ? this.#askEngine(method, call, resolved) : done.result,
    )
  }

  #askEngine(method: Method, { params, context }: Call, resolved: unknown): MaybePromise<unknown> {
    const engine = this.#options.remoteEngine!
    const headSequence = engine.headSequence()
    const fixed = this.#fixedResults.get(method)
    if (fixed?.headSequence === headSequence && fixed.resolved === resolved) return fixed.result
    return engine.execute(method.name, params, context, resolved).then((answer) => {
      if (typeof answer !== 'string') return answer
      const result = new ResultText(answer)
      if (method.isFixedPerHead) this.#fixedResults.set(method, { headSequence, resolved, result })
      return result
    })
  }

  #resolve(method: Method, values: Values, context: CallContext): MaybePromise<unknown> {
    const resolving = method.resolve?.(this.#resources, values)
    return resolving instanceof Promise ? unlessAborted(resolving, context.signal) : resolving
  }
}

type Place = 'here' | 'here, connected' | 'here, changing' | 'here, with the engine' | 'engine thread'

/** `needs` and `changes` alone decide where a method runs. */
function placesOf(
  methods: readonly Method[],
  resources: HandedResources,
  /** Undefined if there are no engine threads. */
  onEngineThreads: readonly string[] | undefined,
): ReadonlyMap<Method, Place> {
  return new Map(methods.map((method) => [method, placeOf(method)]))

  function placeOf({ name, needs, changes }: Method): Place {
    const missing = needs.filter((need) => resources[need] === undefined && need !== 'connection')
    const needsEngine = needs.includes('engine')
    if (missing.length > 0) {
      const mayMove = needsEngine && missing.every((need) => onEngineThreads?.includes(need))
      assert(mayMove, `${name} is handed '${missing.join("', '")}'.`)
      return 'engine thread'
    }
    if (needs.includes('connection')) return 'here, connected'
    if (changes !== undefined) return 'here, changing'
    return needsEngine ? 'here, with the engine' : 'here'
  }
}

interface FixedResult {
  readonly headSequence: number
  readonly resolved: unknown
  readonly result: ResultText
}

/** JSON text made by an engine thread. */
export class ResultText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Stage 9 for a long result: JSON text in chunks. */
export function presentStream(
  { id, context: { signal } }: Call,
  chunks: AsyncIterable<string>,
  onFailure: (thrown: unknown) => void,
): Promise<AnswerBody> {
  return openStream({ start: resultStart(id), chunks, end: '}', signal, onFailure })
}

/** Stage 9: turns a result into the JSON text of an answer. */
export function presentValue({ id, name }: Call, result: unknown): string {
  const text = result instanceof ResultText ? result.text : JSON.stringify(result)
  assert(text !== undefined, `${name} has a result; one without meaning is null.`)
  return formatResult(id, text)
}
