import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import { assert } from '#types/assert.ts'
import { formatError, formatResult, resultStart } from './answer.ts'
import type { AnswerBody, CallContext } from './call.ts'
import type { DispatchMetrics } from './dispatch-metrics.ts'
import type { Envelope } from './envelope.ts'
import { type RpcError, type RpcErrorKind, rpcError, translateError } from './errors.ts'
import type { HandedPorts, Ports } from './ports.ts'
import type { Registry } from './registry.ts'
import { isStream, openStream, unlessAborted } from './result-stream.ts'

/** What one request is answered. */
export interface Reply {
  readonly error: RpcErrorKind | null
  readonly body: AnswerBody
}

export interface ExecutorOptions {
  /** That of the transport whose requests are executed. */
  readonly registry: Registry
  readonly ports: HandedPorts
  readonly metrics: DispatchMetrics
  readonly log: Log
  readonly clock: Clock
}

/** Names of methods come from outside: enough of one to recognise it in the log. */
const LOGGED_NAME_LENGTH = 64

/** The stages from "find method" to "present", for one request. */
export class CallExecutor {
  readonly #registry: Registry
  readonly #ports: Ports
  readonly #metrics: DispatchMetrics
  readonly #log: Log
  readonly #clock: Clock

  constructor({ registry, ports, metrics, log, clock }: ExecutorOptions) {
    this.#registry = registry
    this.#ports = { ...ports, apis: registry }
    this.#metrics = metrics
    this.#log = log
    this.#clock = clock
    for (const method of registry.methods) {
      for (const need of method.needs) assert(need in this.#ports, `${method.name} is handed '${need}'.`)
    }
  }

  /** Whatever a method does is an answer. Undefined for a notification. */
  async answer(envelope: Envelope, context: CallContext): Promise<Reply | undefined> {
    switch (envelope.kind) {
      case 'notification':
        return undefined
      case 'invalid':
        return this.#refuse(envelope.id, undefined, rpcError('INVALID_REQUEST'), context)
      case 'request':
        return await this.#execute(envelope.id, envelope.method, envelope.params, context)
    }
  }

  async #execute(id: string, name: string, params: readonly unknown[], context: CallContext): Promise<Reply> {
    const found = this.#registry.find(name)
    if (!found.ok) return this.#refuse(id, name, rpcError(found.error), context)
    if (!context.caller.mayCall(name)) return this.#refuse(id, name, rpcError('UNAUTHORIZED'), context)
    const startMs = this.#clock.monotonicMs()
    try {
      const decoding = found.method.decode(params)
      if (!decoding.ok) return this.#refuse(id, name, rpcError(decoding.error), context)
      const running = found.method.run(this.#ports, decoding.values, context)
      const result = running instanceof Promise ? await unlessAborted(running, context.signal) : running
      return { error: null, body: await this.#present(id, name, result, context) }
    } catch (thrown) {
      return this.#refuse(id, name, this.#translate(thrown, name, context), context)
    } finally {
      // A streamed result counts until its first chunk: how fast the client reads is no time of ours.
      this.#metrics.onCall(name, this.#clock.monotonicMs() - startMs)
    }
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
      this.#log.error('A method failed for a reason of our own.', { ...describeCall(name, context), err }),
    )
  }

  #refuse(id: string, name: string | undefined, error: RpcError, context: CallContext): Reply {
    this.#note(name, error, context)
    return { error: error.kind, body: formatError(id, error) }
  }

  /** Counts and logs a failed request; never what it carried. */
  #note(name: string | undefined, { kind }: RpcError, context: CallContext): void {
    // Names that nobody knows would make labels without end.
    if (name !== undefined && kind !== 'METHOD_NOT_FOUND') this.#metrics.onError(name, kind)
    if (kind === 'INTERNAL_ERROR') return // logged with its stack where it was translated
    // Mistakes of clients only for those who look for them: anyone can make any number of them.
    const level = kind === 'TIMEOUT_ERROR' ? 'warn' : 'debug'
    this.#log[level]('A request failed.', { ...describeCall(name, context), error: kind })
  }
}

function describeCall(name: string | undefined, { requestId, traceparent }: CallContext) {
  return { requestId, method: name?.slice(0, LOGGED_NAME_LENGTH), traceparent }
}
