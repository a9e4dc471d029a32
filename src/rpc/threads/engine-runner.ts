import type { ChainReader } from '#chain/read/open-chain-reader.ts'
import type { Method } from '#rpc/define-method.ts'
import { isStream } from '#rpc/dispatch/call/result-stream.ts'
import { runSettled } from '#rpc/dispatch/call/run-settled.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { EngineAccount } from '#rpc/limits/call-limits.ts'
import type { EngineMeter } from '#rpc/limits/engine-meter.ts'
import type { Resources } from '#rpc/resources.ts'
import { assert } from '#types/assert.ts'
import type { ExecuteAnswer, ExecuteRequest } from './engine-protocol.ts'

/** Streams that a server was told of and has not opened yet; it opens each at once, so more are a sign of abuse. */
const UNCLAIMED_MAX = 64

/** Who pays for what an engine thread does. */
export interface Charging {
  /** Of the thread. */
  readonly meter: EngineMeter
  charge(account: EngineAccount, ms: number): void
}

/** What one server asked an engine thread for: methods run whole, from raw parameters to JSON text. */
export class EngineRunner {
  readonly #methods: ReadonlyMap<string, Method>
  readonly #resources: Pick<Resources, 'chain' | 'engine' | 'limits'>
  readonly #reader: ChainReader
  readonly #charging: Charging | undefined
  readonly #cells: Int32Array[] = []
  readonly #streams = new Map<number, AsyncIterable<string>>()
  #nextStream = 1

  constructor(
    methods: readonly Method[],
    resources: Pick<Resources, 'chain' | 'engine' | 'limits'>,
    reader: ChainReader,
    charging?: Charging,
  ) {
    this.#methods = new Map(methods.map((method) => [method.name, method]))
    this.#resources = resources
    this.#reader = reader
    this.#charging = charging
  }

  async execute(request: ExecuteRequest, signal: () => AbortSignal): Promise<ExecuteAnswer> {
    const { account } = request
    if (this.#charging === undefined || account === undefined) return await this.#execute(request, signal)
    return await this.#charging.meter.run(() => this.#execute(request, signal), this.#chargeTo(account))
  }

  #chargeTo(account: EngineAccount): (ms: number) => void {
    return (ms) => this.#charging?.charge(account, ms)
  }

  async #execute(request: ExecuteRequest, signal: () => AbortSignal): Promise<ExecuteAnswer> {
    if (request.head !== undefined) this.#reader.announce(request.head)
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
      // Made when somebody looks: most methods look at the cell only.
      get signal() {
        return signal()
      },
    }
    // Methods that need 'engine' are handed nothing else than these: defineMethod has made sure.
    const result = await runSettled(method, this.#resources as Resources, decoding.values, context)
    if (isStream(result)) {
      const id = this.#nextStream++
      const { account } = request
      const isCharged = this.#charging !== undefined && account !== undefined
      const chunks = isCharged ? this.#charging.meter.chunks(result, this.#chargeTo(account)) : result
      this.#streams.set(id, chunks)
      // One whose client left before the server could ask for it.
      if (this.#streams.size > UNCLAIMED_MAX) this.#streams.delete(this.#streams.keys().next().value!)
      return { kind: 'stream', id }
    }
    const text = JSON.stringify(result)
    assert(text !== undefined, `${method.name} has a result; one without meaning is null.`)
    return { kind: 'text', text }
  }

  chunks(id: number): AsyncIterable<string> {
    const chunks = this.#streams.get(id)
    assert(chunks !== undefined, 'A stream is asked for once, by the server that was told its number.')
    this.#streams.delete(id)
    return chunks
  }
}
