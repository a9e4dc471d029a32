/** Values in parameters and results. `…Text` is what results contain, `…Wire` decodes what requests contain. */

import {
  literal,
  NEVER,
  number,
  object,
  enum as oneOf,
  type RefinementCtx,
  string,
  union,
  type ZodType,
} from 'zod'
import { Param } from '#jsonrpc/method.ts'
import { LOG_LEVELS } from '#platform/log/log-level.ts'
import { parseAddress } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { parseData, parseDataLenient, parseQuantityLenient } from '#types/hex.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { quickAddress, quickHash } from './quick-values.ts'

/** For `transform`: turns a parser that throws faults into one that adds issues. */
export function parsedBy<Wire, Value>(parse: (wire: Wire) => Value) {
  return (wire: Wire, context: RefinementCtx): Value => {
    try {
      return parse(wire)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      context.addIssue(error.message)
      return NEVER
    }
  }
}

export const QuantityText = string()
  .regex(/^0x(0|[1-9a-f][0-9a-f]*)$/)
  .meta({ title: 'quantity', description: '0x and a hex number without leading zeros' })

export const AddressText = string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ title: 'address', description: '0x and 40 hex digits' })

export const AddressWire = string()
  .meta({
    title: 'address parameter',
    description: '40 hex digits, with or without 0x',
    pattern: '^(0x)?[0-9a-fA-F]{40}$',
  })
  .transform(parsedBy(parseAddress))

export const Address = new Param(AddressWire, 'INVALID_ADDRESS_PARAMS', {
  isRequired: true,
  quick: quickAddress,
})

export const HashText = string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ title: 'hash', description: '0x and 64 hex digits' })

export const HashWire = string()
  .meta({ title: 'hash parameter', description: '0x and 64 hex digits', pattern: '^0x[0-9a-fA-F]{64}$' })
  .transform(parsedBy(parsePrefixedHash))

const QUICK_HASH = { isRequired: true, quick: quickHash } as const

export const BlockHash = new Param(HashWire, 'INVALID_BLOCK_HASH_PARAMS', QUICK_HASH)
export const TransactionHash = new Param(HashWire, 'INVALID_TRANSACTION_HASH_PARAMS', QUICK_HASH)

function parsePrefixedHash(text: string): Hash {
  if (text.startsWith('0x')) return parseHash(text)
  throw new Fault('INVALID_HASH', { sentence: 'A hash starts with 0x.' })
}

export interface DataLimits {
  readonly maxBytes: number
  /** If true, '' means no bytes, like 0x. */
  readonly mayBeBlank?: boolean
}

/** Bytes: 0x and two hex digits each. */
export function dataParam({ maxBytes, mayBeBlank = false }: DataLimits): Param<Uint8Array> {
  const wire = string().meta({
    description: `0x and two hex digits per byte, at most ${maxBytes} bytes`,
    pattern: mayBeBlank ? '^(0x([0-9a-fA-F]{2})*)?$' : '^0x([0-9a-fA-F]{2})*$',
  })
  const bytes = wire.transform(
    parsedBy((text) => parseData(mayBeBlank && text === '' ? '0x' : text, maxBytes)),
  )
  return new Param<Uint8Array>(bytes, 'INVALID_DATA_PARAMS')
}

export const DataText = string()
  .regex(/^0x([0-9a-f]{2})*$/)
  .meta({ title: 'data', description: '0x and two hex digits per byte' })

/** Hex digits, not always two per byte: Besu writes no code as 0x0. */
export const HexText = string()
  .regex(/^0x[0-9a-f]*$/)
  .meta({ title: 'hex', description: '0x and hex digits' })

const WORD_BYTES = 32

/** A storage slot: up to 32 bytes of hex, with or without 0x; an odd digit counts as a byte. */
export const SlotWire = string()
  .meta({ title: 'slot', description: 'up to 64 hex digits', pattern: '^(0x)?[0-9a-fA-F]{0,64}$' })
  .transform(parsedBy(parseSlot))

export const StorageSlot = new Param(SlotWire, 'INVALID_POSITION_PARAMS')

export function parseSlot(text: string): Uint8Array {
  const digits = /^0x/i.test(text) ? text.slice(2) : text
  if (digits.length > 2 * WORD_BYTES) {
    throw new Fault('INVALID_HEX', { sentence: 'A storage slot has at most 64 hex digits.' })
  }
  const bytes = parseDataLenient(digits.padStart(digits.length + (digits.length % 2), '0'), WORD_BYTES)
  const word = new Uint8Array(WORD_BYTES)
  word.set(bytes, WORD_BYTES - bytes.length)
  return word
}

const MAX_INDEX = 2n ** 31n - 1n
const DECIMAL = /^[0-9]{1,20}$/

/** An index or a small number: hex with 0x, decimal digits, or a JSON number. */
const IndexWire: ZodType<number> = union([
  string().transform(parsedBy(parseIndex)),
  number().int().nonnegative().max(Number(MAX_INDEX)),
]).meta({ title: 'index', description: '0x and a hex number, or a decimal number' })

export const TransactionIndex = new Param(IndexWire, 'INVALID_TRANSACTION_INDEX_PARAMS')
export const OmmerIndex = new Param(IndexWire, 'INVALID_BLOCK_INDEX_PARAMS')
export const BlockCount = new Param(IndexWire, 'INVALID_BLOCK_COUNT_PARAMS')

/** The same for 64-bit numbers. */
export const Nonce = new Param<bigint>(
  union([
    string().transform(parsedBy((text) => parseNumber(text, MAX_NONCE))),
    number().int().nonnegative().max(Number.MAX_SAFE_INTEGER).transform(BigInt),
  ]).meta({ title: 'nonce', description: '0x and a hex number, or a decimal number' }),
  'INVALID_NONCE_PARAMS',
)

function parseIndex(text: string): number {
  return Number(parseNumber(text, MAX_INDEX))
}

function parseNumber(text: string, max: bigint): bigint {
  const value = DECIMAL.test(text) ? BigInt(text) : parseQuantityLenient(text)
  if (value <= max) return value
  throw new Fault('INVALID_NUMBER', { sentence: `The number is at most ${max}.` })
}

export type BlockTag = 'earliest' | 'latest' | 'pending' | 'safe' | 'finalized'

/** How requests name a block: by tag, by number, or by a hash that may have to be canonical (EIP-1898). */
export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }

/** A block without a hash. */
export type PlaceSelector = Exclude<BlockSelector, { readonly kind: 'hash' }>

export const LATEST = { kind: 'tag', tag: 'latest' } as const satisfies PlaceSelector
export const PENDING = { kind: 'tag', tag: 'pending' } as const satisfies PlaceSelector

const TAGS: ReadonlyMap<string, PlaceSelector> = new Map(
  (['earliest', 'latest', 'pending', 'safe', 'finalized'] as const).map((tag) => [tag, { kind: 'tag', tag }]),
)
const MAX_NUMBER = 2n ** 63n - 1n
const UINT64_BYTES = 8
/** If a hash is allowed too, a longer text is not a number. */
const LONGEST_NUMBER_TEXT = 16
const SHORTEST_HASH_TEXT = 65

const NUMBER_OR_TAG = 'earliest, latest, pending, safe, finalized, or 0x and a hex number'

/** As in Besu, JSON numbers are accepted if no hash is allowed. */
export const PlaceWire: ZodType<PlaceSelector> = union([
  string().meta({ description: NUMBER_OR_TAG }).transform(parsedBy(parsePlace)),
  number()
    .int()
    .nonnegative()
    .max(Number.MAX_SAFE_INTEGER)
    .transform((value): PlaceSelector => ({ kind: 'number', number: BigInt(value) })),
]).meta({ title: 'block number or tag' })

const HashObject = object({
  blockHash: string(),
  requireCanonical: union([literal(true), literal(false)]).optional(),
}).transform(
  parsedBy(
    ({ blockHash, requireCanonical = false }): BlockSelector => ({
      kind: 'hash',
      hash: parseHash(blockHash),
      requireCanonical,
    }),
  ),
)
const NumberObject = object({ blockNumber: string() }).transform(
  parsedBy(({ blockNumber }): BlockSelector => ({ kind: 'number', number: parseBlockNumber(blockNumber) })),
)

export const SelectorWire: ZodType<BlockSelector> = union([
  string()
    .meta({ description: `${NUMBER_OR_TAG}, or the hash of a block` })
    .transform(parsedBy(parseSelector)),
  HashObject,
  NumberObject,
]).meta({ title: 'block number, tag or hash' })

/** For methods that accept a hash. */
export const Block = new Param(SelectorWire, 'INVALID_BLOCK_PARAMS', { isRequired: true, quick: quickTag })
/** For methods that accept a number or a tag. */
export const BlockNumber = new Param(PlaceWire, 'INVALID_BLOCK_NUMBER_PARAMS', {
  isRequired: true,
  quick: quickTag,
})

function quickTag(wire: unknown): PlaceSelector | undefined {
  return typeof wire === 'string' ? TAGS.get(wire) : undefined
}

function parseSelector(text: string): BlockSelector {
  if (text.length >= SHORTEST_HASH_TEXT)
    return { kind: 'hash', hash: parseHash(text), requireCanonical: false }
  if (text.length <= LONGEST_NUMBER_TEXT) return parsePlace(text)
  throw new Fault('INVALID_BLOCK_SELECTOR', { sentence: `A block is ${NUMBER_OR_TAG}, or a hash.` })
}

function parsePlace(text: string): PlaceSelector {
  return TAGS.get(text.toLowerCase()) ?? { kind: 'number', number: parseBlockNumber(text) }
}

function parseBlockNumber(text: string): bigint {
  const value = parseQuantityLenient(text.toLowerCase(), UINT64_BYTES)
  if (value <= MAX_NUMBER) return value
  throw new Fault('INVALID_BLOCK_SELECTOR', { sentence: 'The number of a block is below 2^63.' })
}

export const LogLevel = new Param(oneOf(LOG_LEVELS).meta({ title: 'log level' }), 'INVALID_LOG_LEVEL_PARAMS')
