/** EIP-712: the digest of typed data, as wallets sign it. */
import { array, object, type output, record, string, unknown } from 'zod'
import { type Address, addressToBytes, parseAddress } from '#types/address.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { parseData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'

const WORD_BYTES = 32
const WORD_BITS = 256
const ADDRESS_PADDING = new Uint8Array(12)
/** Types may refer to themselves, so a value could be nested without end. */
const MAX_DEPTH = 64
const DOMAIN = 'EIP712Domain'

export const TypedDataWire = object({
  types: record(string(), array(object({ name: string(), type: string() }))),
  primaryType: string(),
  domain: record(string(), unknown()),
  message: record(string(), unknown()),
})

export type TypedData = output<typeof TypedDataWire>
type Types = TypedData['types']
type Members = Readonly<Record<string, unknown>>

/** Throws INVALID_TYPED_DATA. */
export function typedDataDigest(
  { types, primaryType, domain, message }: TypedData,
  keccak: Keccak,
): Uint8Array {
  const encoder = new TypedDataEncoder({ [DOMAIN]: domainFields(domain), ...types }, keccak)
  const parts = [Uint8Array.of(0x19, 0x01), encoder.hashStruct(DOMAIN, domain)]
  // A request without a message signs the domain alone.
  if (primaryType !== DOMAIN) parts.push(encoder.hashStruct(primaryType, message))
  return keccak(concatBytes(...parts))
}

/** In the order of the standard; libraries may omit the type of the domain. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

function domainFields(domain: Members) {
  return DOMAIN_FIELDS.filter(({ name }) => domain[name] !== undefined)
}

class TypedDataEncoder {
  readonly #types: Types
  readonly #keccak: Keccak
  readonly #typeHashes = new Map<string, Uint8Array>()

  constructor(types: Types, keccak: Keccak) {
    this.#types = types
    this.#keccak = keccak
  }

  hashStruct(type: string, value: Members, depth = 0): Uint8Array {
    if (depth > MAX_DEPTH) throw invalid(`Values are nested deeper than ${MAX_DEPTH}.`)
    const words = this.#fieldsOf(type).map((field) => {
      if (!Object.hasOwn(value, field.name)) throw invalid(`${type} lacks ${field.name}.`)
      return this.#encode(field.type, value[field.name], depth + 1)
    })
    return this.#keccak(concatBytes(this.#typeHash(type), ...words))
  }

  #fieldsOf(type: string) {
    if (!Object.hasOwn(this.#types, type)) throw invalid(`The type ${type} is not declared.`)
    return this.#types[type]!
  }

  #typeHash(type: string): Uint8Array {
    const known = this.#typeHashes.get(type)
    if (known !== undefined) return known
    const others = [...this.#referred(type, new Set())].filter((name) => name !== type).sort()
    const text = [type, ...others].map((name) => this.#declaration(name)).join('')
    const hash = this.#hashText(text)
    this.#typeHashes.set(type, hash)
    return hash
  }

  #declaration(type: string): string {
    return `${type}(${this.#fieldsOf(type)
      .map(({ name, type: of }) => `${of} ${name}`)
      .join(',')})`
  }

  #referred(type: string, found: Set<string>): Set<string> {
    if (found.has(type) || !Object.hasOwn(this.#types, type)) return found
    found.add(type)
    for (const field of this.#types[type]!) this.#referred(field.type.replace(/\[.*$/, ''), found)
    return found
  }

  #encode(type: string, value: unknown, depth: number): Uint8Array {
    const list = /^(.*)\[(\d*)\]$/.exec(type)
    if (list !== null) return this.#encodeList(list[1]!, list[2]!, value, depth)
    if (Object.hasOwn(this.#types, type)) {
      if (typeof value !== 'object' || value === null) throw invalid(`A value of ${type} is not an object.`)
      return this.hashStruct(type, value as Members, depth)
    }
    if (type === 'string') return this.#hashText(String(value))
    if (type === 'bytes') return this.#keccak(bytesOf(value))
    return encodeAtom(type, value)
  }

  #encodeList(type: string, length: string, value: unknown, depth: number): Uint8Array {
    if (!Array.isArray(value)) throw invalid(`A value of ${type}[${length}] is not a list.`)
    if (depth > MAX_DEPTH) throw invalid(`Values are nested deeper than ${MAX_DEPTH}.`)
    if (length !== '' && value.length !== Number(length)) {
      throw invalid(`A list of ${length} ${type} has ${value.length} items.`)
    }
    return this.#keccak(concatBytes(...value.map((item) => this.#encode(type, item, depth + 1))))
  }

  #hashText(text: string): Uint8Array {
    return this.#keccak(new TextEncoder().encode(text))
  }
}

function encodeAtom(type: string, value: unknown): Uint8Array {
  if (type === 'bool') return bigintToBytes(value === true || value === 'true' ? 1n : 0n, WORD_BYTES)
  if (type === 'address') return concatBytes(ADDRESS_PADDING, addressToBytes(addressOf(value)))
  const bytes = /^bytes(\d+)$/.exec(type)
  if (bytes !== null) return fixedBytes(Number(bytes[1]), value)
  const integer = /^(u?)int(\d*)$/.exec(type)
  if (integer === null) throw invalid(`The type ${type} is not declared.`)
  return encodeInteger(type, integer[1] === 'u', Number(integer[2] === '' ? WORD_BITS : integer[2]), value)
}

function encodeInteger(type: string, isUnsigned: boolean, bits: number, value: unknown): Uint8Array {
  if (bits === 0 || bits > WORD_BITS || bits % 8 !== 0) throw invalid(`The type ${type} does not exist.`)
  const number = integerOf(type, value)
  const [min, max] = isUnsigned
    ? [0n, 2n ** BigInt(bits)]
    : [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1)]
  if (number < min || number >= max) throw invalid(`${number} is not a value of ${type}.`)
  return bigintToBytes(BigInt.asUintN(WORD_BITS, number), WORD_BYTES)
}

function integerOf(type: string, value: unknown): bigint {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value)
  if (isNumber || (typeof value === 'string' && /^(-?\d{1,80}|0x[0-9a-fA-F]{1,64})$/.test(value))) {
    return BigInt(value)
  }
  throw invalid(`${JSON.stringify(value)} is not a value of ${type}.`)
}

function fixedBytes(length: number, value: unknown): Uint8Array {
  const bytes = bytesOf(value)
  if (length === 0 || length > WORD_BYTES) throw invalid(`The type bytes${length} does not exist.`)
  if (bytes.length !== length) throw invalid(`A value of bytes${length} has ${bytes.length} bytes.`)
  const word = new Uint8Array(WORD_BYTES)
  word.set(bytes)
  return word
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw invalid(`${JSON.stringify(value)} is not hex data.`)
  return parseData(value)
}

function addressOf(value: unknown): Address {
  if (typeof value !== 'string') throw invalid(`${JSON.stringify(value)} is not an address.`)
  return parseAddress(value)
}

function invalid(sentence: string): Fault<'INVALID_TYPED_DATA'> {
  return new Fault('INVALID_TYPED_DATA', { sentence })
}
