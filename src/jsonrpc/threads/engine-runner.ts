import { rpcFault } from '#jsonrpc/errors.ts'
import type { EngineBucket } from '#jsonrpc/limits/call-limits.ts'
import type { EngineMeter } from '#jsonrpc/limits/engine-meter.ts'
import { type HandedResources, isStream, type Method } from '#jsonrpc/method.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import { assert } from '#types/assert.ts'
import type { ExecuteAnswer, ExecuteRequest } from './engine-protocol.ts'

/** Streams that a server has not opened yet. Servers open them at once, so more are a sign of abuse. */
const UNCLAIMED_MAX = 64

export interface Charging {
  readonly meter: EngineMeter
  charge(bucket: EngineBucket, ms: number): void
}

export interface EngineParts<Head> {
  readonly api: ServedApi
  readonly methods: readonly Method[]
  readonly resources: HandedResources
  /** Later reads are at least as new as this head. */
  announce(head: Head): void
}

/** Runs methods on an engine thread for one server, from raw parameters to JSON text. */
export class EngineRunner<Head> {
  readonly #methods: ReadonlyMap<string, Method>
  readonly #parts: EngineParts<Head>
  readonly #charging: Charging | undefined
  readonly #cells: Int32Array[] = []
  readonly #streams = new Map<number, AsyncIterable<string>>()
  #nextStream = 1

  constructor(parts: EngineParts<Head>, charging?: Charging) {
    this.#methods = new Map(parts.methods.map((method) => [method.name, method]))
    this.#parts = parts
    this.#charging = charging
  }

  async execute(request: ExecuteRequest<Head>, signal: () => AbortSignal): Promise<ExecuteAnswer> {
    const result = await this.#charged(request.bucket, () => this.#run(request, signal))
    if (typeof result === 'string') return { kind: 'text', text: result }
    const id = this.#nextStream++
    this.#streams.set(id, result)
    // Its client left before the server asked for it.
    if (this.#streams.size > UNCLAIMED_MAX) this.#streams.delete(this.#streams.keys().next().value!)
    return { kind: 'stream', id }
  }

  #charged<Result>(bucket: EngineBucket | undefined, work: () => Promise<Result>): Promise<Result> {
    const charging = this.#charging
    if (charging === undefined || bucket === undefined) return work()
    return charging.meter.run(work, (ms) => charging.charge(bucket, ms))
  }

  async #run(
    request: ExecuteRequest<Head>,
    signal: () => AbortSignal,
  ): Promise<string | AsyncIterable<string>> {
    if (request.head !== undefined) this.#parts.announce(request.head)
    if (request.cancel !== undefined) this.#cells[request.cell] = request.cancel
    const cancel = this.#cells[request.cell]
    assert(cancel !== undefined, 'The memory of a cell is sent with the first request that has it.')
    const method = this.#methods.get(request.method)
    assert(method?.needs.includes('engine') === true, `${request.method} is a method of engine threads.`)
    if (Atomics.load(cancel, 0) !== 0) throw rpcFault('TIMEOUT_ERROR')
    const decoding = method.decode(request.params)
    if (!decoding.ok) throw rpcFault(decoding.error)
    const context = {
      cancel,
      resolved: request.resolved,
      // Made on demand: most methods only look at the cell.
      get signal() {
        return signal()
      },
    }
    const { api, resources } = this.#parts
    const result = await api.runOnEngine(method, resources, decoding.values, context)
    if (isStream(result)) return result
    const text = JSON.stringify(result)
    assert(text !== undefined, `${method.name} has a result; one without meaning is null.`)
    return text
  }

  chunks(id: number): AsyncIterable<string> {
    const chunks = this.#streams.get(id)
    assert(chunks !== undefined, 'A server opens its stream once.')
    this.#streams.delete(id)
    return chunks
  }
}
