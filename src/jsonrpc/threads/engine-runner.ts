import { rpcFault } from '#jsonrpc/errors.ts'
import type { EngineBucket } from '#jsonrpc/limits/call-limits.ts'
import type { EngineMeter } from '#jsonrpc/limits/engine-meter.ts'
import { type HandedResources, isStream, type Method } from '#jsonrpc/method.ts'
import type { ServedApi } from '#jsonrpc/served-api.ts'
import { DataPending } from '#platform/data-pending.ts'
import { assert } from '#types/assert.ts'
import type { ExecuteAnswer, ExecuteRequest, Fetching } from './engine-protocol.ts'

/** Streams and fetches that a server has not asked for yet. Servers do so at once, so more are a sign of abuse. */
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
  readonly #streams = new Unclaimed<AsyncIterable<string>>()
  readonly #fetches = new Unclaimed<Promise<unknown>>()

  constructor(parts: EngineParts<Head>, charging?: Charging) {
    this.#methods = new Map(parts.methods.map((method) => [method.name, method]))
    this.#parts = parts
    this.#charging = charging
  }

  async execute(request: ExecuteRequest<Head>, signal: () => AbortSignal): Promise<ExecuteAnswer> {
    try {
      const result = await this.#charged(request.bucket, () => this.#run(request, signal))
      if (typeof result === 'string') return { kind: 'text', text: result }
      return { kind: 'stream', id: this.#streams.add(result) }
    } catch (error) {
      return this.#fetching(error)
    }
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

  async *chunks(id: number): AsyncGenerator<string | Fetching, void, undefined> {
    let hasBegun = false
    try {
      for await (const chunk of this.#streams.take(id)) {
        hasBegun = true
        yield chunk
      }
    } catch (error) {
      if (hasBegun) throw error
      yield this.#fetching(error)
    }
  }

  /** An archive may hang, so a request that waits for it takes no place on this thread. */
  #fetching(error: unknown): Fetching {
    if (!(error instanceof DataPending)) throw error
    return { kind: 'fetching', id: this.#fetches.add(error.ready), part: error.part }
  }

  async fetched(id: number): Promise<null> {
    await this.#fetches.take(id)
    return null
  }
}

class Unclaimed<Item> {
  readonly #items = new Map<number, Item>()
  #nextId = 1

  add(item: Item): number {
    const id = this.#nextId++
    this.#items.set(id, item)
    // Its client left before the server asked for it.
    if (this.#items.size > UNCLAIMED_MAX) this.#items.delete(this.#items.keys().next().value!)
    return id
  }

  take(id: number): Item {
    const item = this.#items.get(id)
    assert(item !== undefined, 'A server asks once for each item.')
    this.#items.delete(id)
    return item
  }
}
