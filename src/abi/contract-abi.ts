/** The functions, errors and events of a contract, from its JSON ABI. */
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { type AbiField, parseAbiFields, signatureOf } from './abi-type.ts'

export const SELECTOR_BYTES = 4

export interface AbiFunction {
  readonly name: string
  readonly inputs: readonly AbiField[]
  readonly outputs: readonly AbiField[]
}

export interface AbiError {
  readonly name: string
  readonly inputs: readonly AbiField[]
}

export interface AbiEvent {
  readonly name: string
  readonly inputs: readonly (AbiField & { readonly isIndexed: boolean })[]
}

/** Names by selector, in hex; events by `eventKey`. */
export class ContractAbi {
  readonly functions = new Map<string, AbiFunction>()
  readonly errors = new Map<string, AbiError>()
  readonly events = new Map<string, AbiEvent>()
  constructorInputs: readonly AbiField[] = []

  /** Entries that are not of the ABI are skipped: a newer compiler may have more kinds. */
  static parse(entries: readonly unknown[]): ContractAbi {
    const abi = new ContractAbi()
    for (const entry of entries) {
      if (typeof entry === 'object' && entry !== null) abi.#add(entry as Record<string, unknown>)
    }
    return abi
  }

  /** The first of two functions with one selector stays: they differ only in the names of parameters. */
  merge(other: ContractAbi): void {
    for (const table of ['functions', 'errors', 'events'] as const) {
      const known: Map<string, unknown> = this[table]
      for (const [key, value] of other[table]) if (!known.has(key)) known.set(key, value)
    }
  }

  #add(entry: Record<string, unknown>): void {
    const { type } = entry
    const name = typeof entry.name === 'string' ? entry.name : ''
    const inputs = parseAbiFields(entry.inputs)
    if (inputs === undefined) return
    if (type === 'constructor') this.constructorInputs = inputs
    if (name === '') return
    const hash = signatureHash(signatureOf(name, inputs))
    const selector = selectorOf(hash)
    if (type === 'function') {
      this.functions.set(selector, { name, inputs, outputs: parseAbiFields(entry.outputs) ?? [] })
    } else if (type === 'error') {
      this.errors.set(selector, { name, inputs })
    } else if (type === 'event' && entry.anonymous !== true) {
      const marks = entry.inputs as readonly Record<string, unknown>[]
      const marked = inputs.map((field, index) => ({ ...field, isIndexed: marks[index]!.indexed === true }))
      const indexed = marked.filter(({ isIndexed }) => isIndexed).length
      this.events.set(eventKey(hash, indexed), { name, inputs: marked })
    }
  }
}

/** Two events with one signature may index different arguments: ERC-20 and ERC-721 have such transfers. */
export function eventKey(topic: string, indexed: number): string {
  return `${topic} ${indexed}`
}

/** The selector of a function or an error, from the hash of its signature. */
export function selectorOf(hash: string): string {
  return hash.slice(0, 2 + 2 * SELECTOR_BYTES)
}

export function signatureHash(signature: string): string {
  return formatData(keccak256(new TextEncoder().encode(signature)))
}
