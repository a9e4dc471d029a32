/** How requests name a block: a tag, a number, or a hash that may have to be canonical (EIP-1898). */
import { literal, number, object, string, union, type ZodType } from 'zod'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, parseHash } from '#types/hash.ts'
import { parseQuantityLenient } from '#types/hex.ts'
import { parsedBy } from './parsed-text.ts'

export type BlockTag = 'earliest' | 'latest' | 'pending' | 'safe' | 'finalized'

export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: bigint }
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }

/** A block named by its place, which is what methods ask for that take no hash. */
export type PlaceSelector = Exclude<BlockSelector, { readonly kind: 'hash' }>

export const LATEST = { kind: 'tag', tag: 'latest' } as const satisfies PlaceSelector
export const PENDING = { kind: 'tag', tag: 'pending' } as const satisfies PlaceSelector

const TAGS: ReadonlyMap<string, PlaceSelector> = new Map(
  (['earliest', 'latest', 'pending', 'safe', 'finalized'] as const).map((tag) => [tag, { kind: 'tag', tag }]),
)
const MAX_NUMBER = 2n ** 63n - 1n
const UINT64_BYTES = 8
/** Where a hash may stand too, a longer text is no number, and a shorter one than the last no hash. */
const LONGEST_NUMBER_TEXT = 16
const SHORTEST_HASH_TEXT = 65

const NUMBER_OR_TAG = 'earliest, latest, pending, safe, finalized, or 0x and a hex number'

/** A JSON number is that number, as Besu takes it where no hash may stand. */
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
  parsedBy(({ blockNumber }): BlockSelector => ({ kind: 'number', number: parseNumber(blockNumber) })),
)

export const SelectorWire: ZodType<BlockSelector> = union([
  string()
    .meta({ description: `${NUMBER_OR_TAG}, or the hash of a block` })
    .transform(parsedBy(parseSelector)),
  HashObject,
  NumberObject,
]).meta({ title: 'block number, tag or hash' })

/** For methods that take a hash as well. */
export const Block = new Param(SelectorWire, 'INVALID_BLOCK_PARAMS')
/** For methods that take a number or a tag. */
export const BlockNumber = new Param(PlaceWire, 'INVALID_BLOCK_NUMBER_PARAMS')

function parseSelector(text: string): BlockSelector {
  if (text.length >= SHORTEST_HASH_TEXT)
    return { kind: 'hash', hash: parseHash(text), requireCanonical: false }
  if (text.length <= LONGEST_NUMBER_TEXT) return parsePlace(text)
  throw new Fault('INVALID_BLOCK_SELECTOR', { sentence: `A block is ${NUMBER_OR_TAG}, or a hash.` })
}

function parsePlace(text: string): PlaceSelector {
  return TAGS.get(text.toLowerCase()) ?? { kind: 'number', number: parseNumber(text) }
}

function parseNumber(text: string): bigint {
  const value = parseQuantityLenient(text.toLowerCase(), UINT64_BYTES)
  if (value <= MAX_NUMBER) return value
  throw new Fault('INVALID_BLOCK_SELECTOR', { sentence: 'The number of a block is below 2^63.' })
}
