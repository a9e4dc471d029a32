/**
 * Decodes ABI-encoded values. Offsets may point anywhere, so a few hundred bytes can describe billions of values: the
 * number of values is limited. Data beyond the limit, or with padding that no encoder writes, is not decoded.
 */
import { type Address, addressFromBytes } from '#types/address.ts'
import { bytesToBigint } from '#types/bytes.ts'
import type { AbiField, AbiType } from './abi-type.ts'

export type AbiValue =
  | bigint
  | boolean
  | { readonly address: Address }
  | string
  | Uint8Array
  | { readonly items: readonly AbiValue[] }
  | { readonly fields: readonly NamedAbiValue[] }

export interface NamedAbiValue {
  readonly name: string
  readonly value: AbiValue
}

const WORD = 32
const ADDRESS_START = 12
const MAX_VALUES = 10_000
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Returns undefined if the data does not encode such values. */
export function decodeAbi(
  fields: readonly AbiField[],
  data: Uint8Array,
): readonly NamedAbiValue[] | undefined {
  const decoder = new Decoder(data)
  try {
    return decoder.fields(fields, 0)
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** Decodes a value of one word, such as an indexed event argument; undefined if its type needs more. */
export function decodeAbiWord(type: AbiType, word: Uint8Array): AbiValue | undefined {
  if (type.kind === 'list' || type.kind === 'tuple' || isDynamic(type)) return undefined
  return decodeAbi([{ name: '', type }], word)?.[0]?.value
}

class Malformed extends Error {}

class Decoder {
  readonly #data: Uint8Array
  #left = MAX_VALUES
  /** An encoder writes every text once, so all texts together fit into the data. */
  #bytesLeft: number

  constructor(data: Uint8Array) {
    this.#data = data
    this.#bytesLeft = data.length
  }

  /** Decodes fields whose heads begin at `base`, from which their offsets count. */
  fields(fields: readonly AbiField[], base: number): readonly NamedAbiValue[] {
    let head = base
    return fields.map(({ name, type }) => {
      const value = this.#member(type, head, base)
      head += headBytes(type)
      return { name, value }
    })
  }

  #member(type: AbiType, head: number, base: number): AbiValue {
    return this.#value(type, isDynamic(type) ? base + this.#size(head) : head)
  }

  #value(type: AbiType, at: number): AbiValue {
    if (this.#left-- === 0) throw new Malformed()
    switch (type.kind) {
      case 'list':
        return this.#list(type.item, type.length, at)
      case 'tuple':
        return { fields: this.fields(type.fields, at) }
      case 'bytes':
        return this.#bytes(at)
      case 'string':
        return utf8.decode(this.#bytes(at))
      default:
        return wordValue(type, this.#slice(at, WORD))
    }
  }

  #list(item: AbiType, length: number | undefined, at: number): AbiValue {
    const base = length === undefined ? at + WORD : at
    const count = length ?? this.#size(at)
    if (count > this.#left) throw new Malformed()
    const items: AbiValue[] = []
    const step = headBytes(item)
    for (let index = 0; index < count; index++) items.push(this.#member(item, base + index * step, base))
    return { items }
  }

  #bytes(at: number): Uint8Array {
    const size = this.#size(at)
    this.#bytesLeft -= size
    if (this.#bytesLeft < 0) throw new Malformed()
    return this.#slice(at + WORD, size)
  }

  /** An offset or a length; none can exceed the data. */
  #size(at: number): number {
    const size = bytesToBigint(this.#slice(at, WORD))
    if (size > BigInt(this.#data.length)) throw new Malformed()
    return Number(size)
  }

  #slice(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) throw new Malformed()
    return this.#data.subarray(at, at + length)
  }
}

function wordValue(type: AbiType, word: Uint8Array): AbiValue {
  const number = bytesToBigint(word)
  switch (type.kind) {
    case 'uint':
      return exact(number, number === BigInt.asUintN(type.bits, number))
    case 'int': {
      const value = BigInt.asIntN(WORD * 8, number)
      return exact(value, value === BigInt.asIntN(type.bits, value))
    }
    case 'bool':
      return exact(number === 1n, number <= 1n)
    case 'address':
      return exact(
        { address: addressFromBytes(word.subarray(ADDRESS_START)) },
        word.subarray(0, ADDRESS_START).every((byte) => byte === 0),
      )
    case 'fixedBytes':
      return exact(
        word.subarray(0, type.size),
        word.subarray(type.size).every((byte) => byte === 0),
      )
    default:
      throw new Malformed()
  }
}

/** Contracts revert on padding of other types, so such data has another meaning. */
function exact<Value extends AbiValue>(value: Value, isExact: boolean): Value {
  if (!isExact) throw new Malformed()
  return value
}

function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'bytes':
    case 'string':
      return true
    case 'list':
      return type.length === undefined || isDynamic(type.item)
    case 'tuple':
      return type.fields.some((field) => isDynamic(field.type))
    default:
      return false
  }
}

function headBytes(type: AbiType): number {
  if (isDynamic(type)) return WORD
  if (type.kind === 'list') return type.length! * headBytes(type.item)
  if (type.kind === 'tuple') return type.fields.reduce((sum, field) => sum + headBytes(field.type), 0)
  return WORD
}
