import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { CHANGE_SUBJECTS, type ChangeSubject } from '#rpc/audit/audit-record.ts'
import { runAudited } from '#rpc/audit/audited-call.ts'
import { portsFor } from '#rpc/audit/changing-ports.ts'
import type { Method } from '#rpc/define-method.ts'
import { type RpcError, type RpcErrorKind, rpcError, rpcFault, translateError } from '#rpc/errors.ts'
import { type CallerLimits, retryAfterOf } from '#rpc/limits/call-limits.ts'
import { EngineMeter } from '#rpc/limits/engine-meter.ts'
import { type HandedPorts, isOnEngineThreads, type Ports } from '#rpc/ports.ts'
import { NEEDS_CONNECTION, type Registry } from '#rpc/registry/registry.ts'
import type { BriefRunner } from '#rpc/threads/brief-runner.ts'
import { CancelCell } from '#rpc/threads/cancel-cell.ts'
import type { RemoteEngine } from '#rpc/threads/remote-engine.ts'
import { isStream, openStream, unlessAborted } from '#rpc/threads/result-stream.ts'
import type { AnswerBody } from '#serve/answer-text.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { formatError, formatResult, resultStart } from './answer.ts'
import type { DispatchMetrics } from './dispatch-metrics.ts'
import type { CallContext } from './dispatch-port.ts'
import type { Envelope } from './envelope.ts'
import { runSettled } from './run-settled.ts'

/** What one request is answered. */
export interface Reply {
  readonly error: RpcErrorKind | null
  readonly body: AnswerBody
  /** Its caller has used up what it may use in a minute. */
  readonly retryAfterSeconds?: number | undefined
}

export interface ExecutorOptions {
  /** That of the transport whose requests are executed. */
  readonly registry: Registry
  /** Of this thread. */
  readonly ports: HandedPorts
  /** Where methods that need 'engine' run when this thread has none. */
  readonly remoteEngine?: RemoteEngine | undefined
  /** Asked first, for what is small. */
  readonly brief?: BriefRunner | undefined
  /** What callers may use; undefined: as much as they want. */
  readonly callLimits?: CallerLimits | undefined
  readonly metrics: DispatchMetrics
  readonly log: Log
  readonly clock: Clock
}

/** Names of methods come from outside: enough of one to recognise it in the log. */
const LOGGED_NAME_LENGTH = 64

/** The stages from "find method" to "present", for one request. */
export class CallExecutor {
  readonly #registry: Registry
  /** What a method is handed that changes nothing. */
  readonly #ports: Ports
  readonly #portsOfChanges: ReadonlyMap<ChangeSubject, Ports>
  readonly #remoteEngine: RemoteEngine | undefined
  readonly #brief: BriefRunner | undefined
  readonly #places: ReadonlyMap<Method, Place>
  readonly #limits: CallerLimits | undefined
  readonly #meter: EngineMeter
  readonly #metrics: DispatchMetrics
  readonly #log: Log
  readonly #clock: Clock

  constructor({ registry, ports, remoteEngine, brief, callLimits, ...parts }: ExecutorOptions) {
    const { metrics, log, clock } = parts
    this.#registry = registry
    // A port that is absent is asked for by no method that runs here: placesOf has seen to it.
    const handed = (subject?: ChangeSubject) =>
      ({ ...portsFor(ports, subject), apis: registry }) as Partial<Ports> as Ports
    this.#ports = handed()
    this.#portsOfChanges = new Map(CHANGE_SUBJECTS.map((subject) => [subject, handed(subject)]))
    this.#remoteEngine = remoteEngine
    this.#brief = brief
    this.#places = placesOf(registry.methods, { ...ports, apis: registry }, remoteEngine)
    this.#limits = callLimits
    this.#meter = new EngineMeter(clock)
    this.#metrics = metrics
    this.#log = log
    this.#clock = clock
  }

  /** Whatever a method does is an answer. Undefined for a notification. */
  async answer(envelope: Envelope, context: CallContext): Promise<Reply | undefined> {
    switch (envelope.kind) {
      case 'notification':
        // Nobody waits for it, so that nobody is told that it was one too many.
        this.#overLimit(undefined, context)
        return undefined
      case 'invalid': {
        const error = this.#overLimit(undefined, context) ?? rpcError('INVALID_REQUEST')
        return this.#refuse(envelope.id, undefined, error, context)
      }
      case 'request':
        return await this.#execute(envelope.id, envelope.method, envelope.params, context)
    }
  }

  async #execute(id: string, name: string, params: readonly unknown[], context: CallContext): Promise<Reply> {
    const found = this.#registry.find(name)
    // Also of names that nobody knows, and of calls without a grant: they take time as well.
    const overLimit = this.#overLimit(found.ok ? found.method : undefined, context)
    if (overLimit !== undefined) return this.#refuse(id, name, overLimit, context)
    if (!found.ok) return this.#refuse(id, name, found.error, context)
    if (!context.caller.mayCall(name)) {
      context.caller.noteRefusal?.(describeCall(name, context))
      return this.#refuse(id, name, rpcError('UNAUTHORIZED'), context)
    }
    const startMs = this.#clock.monotonicMs()
    try {
      switch (this.#places.get(found.method)!) {
        case 'here':
          return await this.#runHere(id, name, found.method, params, context, this.#ports)
        case 'here, connected': {
          const { connection } = context
          if (connection === undefined) return this.#refuse(id, name, NEEDS_CONNECTION, context)
          const ports = { ...this.#ports, connection }
          return await this.#runHere(id, name, found.method, params, context, ports)
        }
        case 'engine thread':
          return await this.#runRemotely(id, name, found.method, params, context)
      }
    } catch (thrown) {
      return this.#refuse(id, name, this.#translate(thrown, name, context), context)
    } finally {
      // A streamed result counts until its first chunk: how fast the client reads is no time of ours.
      this.#metrics.onCall(name, this.#clock.monotonicMs() - startMs)
    }
  }

  async #runHere(
    id: string,
    name: string,
    method: Method,
    params: readonly unknown[],
    context: CallContext,
    ports: Ports,
  ): Promise<Reply> {
    if (method.changes !== undefined) {
      const result = await unlessAborted(this.#change(name, method, params, context), context.signal)
      return { error: null, body: await this.#present(id, name, result, context) }
    }
    const decoding = method.decode(params)
    if (!decoding.ok) return this.#refuse(id, name, rpcError(decoding.error), context)
    if (method.needs.includes('engine')) {
      const result = await this.#metered(context, () => this.#runEngine(method, decoding.values, context))
      return { error: null, body: await this.#present(id, name, result, context) }
    }
    const running = method.run(ports, decoding.values, context)
    const result = running instanceof Promise ? await unlessAborted(running, context.signal) : running
    return { error: null, body: await this.#present(id, name, result, context) }
  }

  /** Wrong parameters change nothing, and are written down as well: somebody tried. */
  #change(name: string, method: Method, params: readonly unknown[], context: CallContext): Promise<unknown> {
    const { what: subject, observe } = method.changes!
    const ports = this.#portsOfChanges.get(subject)!
    const decoding = method.decode(params)
    return runAudited(ports.audit, {
      subject,
      method: name,
      params,
      context,
      observe: decoding.ok ? () => observe(ports, decoding.values) : undefined,
      run: () => {
        if (!decoding.ok) throw rpcFault(decoding.error)
        return method.run(ports, decoding.values, context)
      },
    })
  }

  async #runEngine(
    method: Method,
    values: Readonly<Record<string, unknown>>,
    { signal }: CallContext,
  ): Promise<unknown> {
    const resolved = method.resolve && (await this.#resolve(method.resolve, values, signal))
    const cell = new CancelCell(signal)
    let chunks: AsyncIterable<string> | undefined
    try {
      const running = runSettled(method, this.#ports, values, { signal, cancel: cell.memory, resolved })
      const result = await unlessAborted(running, signal)
      if (!isStream(result)) return result
      chunks = cell.releaseAfter(result)
      return chunks
    } finally {
      if (chunks === undefined) cell.release()
    }
  }

  async #runRemotely(
    id: string,
    name: string,
    method: Method,
    params: readonly unknown[],
    context: CallContext,
  ): Promise<Reply> {
    const resolved = method.resolve && (await this.#resolveRaw(method, params, context.signal))
    const small = this.#brief
    const brief = small && (await this.#metered(context, () => small.run(method, params, context, resolved)))
    if (brief !== undefined)
      return { error: null, body: await this.#present(id, name, brief.result, context) }
    const result = await this.#remoteEngine!.execute(method.name, params, context, resolved)
    const body = isStream(result) ? await this.#present(id, name, result, context) : formatResult(id, result)
    return { error: null, body }
  }

  /** Charges the caller for what an engine on this thread does for it. */
  #metered<Result>(context: CallContext, work: () => Promise<Result>): Promise<Result> {
    return this.#limits === undefined ? work() : this.#charged(this.#limits, context, work)
  }

  async #charged<Result>(
    limits: CallerLimits,
    context: CallContext,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const charge = (ms: number): void => limits.chargeEngine(context, ms)
    const result = await this.#meter.run(work, charge)
    return isStream(result) ? (this.#meter.chunks(result, charge) as Result) : result
  }

  /** Charges a call to its caller. Why it is not let through, if it is not. */
  #overLimit(method: Method | undefined, context: CallContext): RpcError | undefined {
    if (this.#limits === undefined) return undefined
    try {
      const needsEngine = method?.needs.includes('engine') === true
      this.#limits.admit(context, method?.cost ?? 'light', needsEngine)
      return undefined
    } catch (thrown) {
      return this.#translate(thrown, method?.name ?? '', context)
    }
  }

  /** Parameters are decoded a second time where the method runs. */
  #resolveRaw(method: Method, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const decoding = method.decode(params)
    if (!decoding.ok) throw rpcFault(decoding.error)
    return this.#resolve(method.resolve!, decoding.values, signal)
  }

  async #resolve(
    resolve: NonNullable<Method['resolve']>,
    values: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const resolving = resolve(this.#ports, values)
    return resolving instanceof Promise ? await unlessAborted(resolving, signal) : resolving
  }

  async #present(id: string, name: string, result: unknown, context: CallContext): Promise<AnswerBody> {
    if (!isStream(result)) {
      const text = JSON.stringify(result)
      assert(text !== undefined, `${name} has a result; one without meaning is null.`)
      return formatResult(id, text)
    }
    return await openStream({
      start: resultStart(id),
      chunks: result,
      end: '}',
      signal: context.signal,
      onFailure: (thrown) => this.#note(name, this.#translate(thrown, name, context), context),
    })
  }

  #translate(thrown: unknown, name: string, context: CallContext): RpcError {
    // Whoever aborts may give any reason.
    if (context.signal.aborted && thrown === context.signal.reason) return rpcError('TIMEOUT_ERROR')
    return translateError(thrown, (err) =>
      this.#log.error('A method failed because of a bug in Cairn.', { ...describeCall(name, context), err }),
    )
  }

  #refuse(id: string, name: string | undefined, error: RpcError, context: CallContext): Reply {
    this.#note(name, error, context)
    const body = formatError(id, error)
    const retryAfterSeconds = error.kind === 'LIMIT_EXCEEDED' ? retryAfterOf(error) : undefined
    return retryAfterSeconds === undefined
      ? { error: error.kind, body }
      : { error: error.kind, body, retryAfterSeconds }
  }

  /** Counts and logs a failed request; never what it carried. */
  #note(name: string | undefined, { kind }: RpcError, context: CallContext): void {
    // Names that nobody knows would make labels without end.
    if (name !== undefined && kind !== 'METHOD_NOT_FOUND') this.#metrics.onError(name, kind)
    if (kind === 'INTERNAL_ERROR') return // logged with its stack where it was translated
    // Mistakes of clients only for those who look for them: anyone can make any number of them.
    const hasLeft = kind === 'TIMEOUT_ERROR' && clientLeft(context)
    const level = kind === 'TIMEOUT_ERROR' && !hasLeft ? 'warn' : 'debug'
    const sentence = hasLeft ? 'The client left.' : 'A request failed.'
    this.#log[level](sentence, { ...describeCall(name, context), error: kind })
  }
}

type Place = 'here' | 'here, connected' | 'engine thread'

/** `needs` decides where a method runs and nothing else does. */
function placesOf(
  methods: readonly Method[],
  ports: Partial<Ports>,
  remoteEngine: RemoteEngine | undefined,
): ReadonlyMap<Method, Place> {
  const has = (need: keyof Ports): boolean => ports[need] !== undefined
  return new Map(methods.map((method) => [method, placeOf(method)]))

  function placeOf({ name, needs }: Method): Place {
    const isConnected = needs.includes('connection')
    const missing = needs.filter((need) => !has(need) && need !== 'connection')
    if (missing.length === 0) return isConnected ? 'here, connected' : 'here'
    const mayMove = needs.includes('engine') && remoteEngine !== undefined
    assert(mayMove && missing.every(isOnEngineThreads), `${name} is handed '${missing.join("', '")}'.`)
    return 'engine thread'
  }
}

/** Nothing to worry about, unlike time that is up. */
function clientLeft({ signal: { reason } }: CallContext): boolean {
  return reason instanceof Fault && reason.kind === 'CANCELLED'
}

function describeCall(name: string | undefined, { requestId, traceparent }: CallContext) {
  return { requestId, method: name?.slice(0, LOGGED_NAME_LENGTH), traceparent }
}
