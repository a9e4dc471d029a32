/** Logs by address and topics, found through blooms and the store's index and confirmed in the receipts. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { StoreReader } from '#store/store.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { bloomBits, bloomMightContain } from '#types/block/bloom.ts'
import type { Log } from '#types/block/log.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Lookup } from './lookup.ts'

export interface LogPattern {
  /** Any of them; none: any address. */
  readonly addresses: readonly Address[]
  /** One list per position: any of them; an empty list: any topic, which still has to be there. */
  readonly topics: readonly (readonly Hash[])[]
}

export interface FoundLog {
  readonly block: { readonly number: bigint; readonly hash: Hash; readonly timestamp: bigint }
  readonly transactionHash: Hash
  readonly transactionIndex: number
  /** Its place among all logs of the block. */
  readonly index: number
  readonly log: Log
}

/** A block of many transactions takes a millisecond to read: others wait no longer than for a few. */
const BLOCKS_PER_TURN = 8
/** Each is looked for in every bloom, and nobody else has a turn meanwhile. */
const BLOOM_VALUES_MAX = 32
/** In blooms looked at in memory: what may be lost before the index takes over, what a match saves, what a read costs. */
const CREDIT_MAX = 64
const MATCH_CREDIT = 8
const READ_CREDIT = 16

interface BlockRange {
  readonly fromBlock: number
  readonly toBlock: number
}

/**
 * Of the canonical blocks from one number to another, in order, those of a few blocks at a time. Throws the reason of
 * an aborted signal.
 */
export async function* logsInRange(
  store: StoreReader,
  lookup: Lookup,
  range: BlockRange,
  filter: LogPattern,
  signal?: AbortSignal,
): AsyncGenerator<readonly FoundLog[], void, undefined> {
  // Block 0 has no logs.
  lookup.requireWhole(Math.max(1, range.fromBlock))
  for await (const blocks of blocksToRead(store, lookup, range, filter)) {
    const found = blocks.flatMap((known) => logsInBlock(lookup, known, filter))
    if (found.length > 0) yield found
    await nextTurn()
    signal?.throwIfAborted()
  }
}

/** Of one block, canonical or not. */
export function logsInBlock(
  lookup: Lookup,
  { hash, header: { number, timestamp } }: KnownHeader,
  filter: LogPattern,
): FoundLog[] {
  const found: FoundLog[] = []
  // By its hash and not by its number: the chain may be reorganised between two reads.
  const receipts = lookup.receipts(hash)
  if (receipts === undefined) return found
  const block = { number, timestamp, hash }
  const matches = matcherOf(filter)
  let index = 0
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    for (const log of logs) {
      if (matches(log)) {
        // The index names blocks that may have a match: the body of one that has none is not read.
        const transactionHash = lookup.transactionHash(hash, transactionIndex)
        found.push({ block, transactionHash, transactionIndex, index, log })
      }
      index++
    }
  }
  return found
}

/** Blocks that may have such logs, ascending, a turn's worth at a time. */
async function* blocksToRead(
  store: StoreReader,
  lookup: Lookup,
  { fromBlock, toBlock }: BlockRange,
  filter: LogPattern,
): AsyncGenerator<readonly KnownHeader[], void, undefined> {
  const addresses = filter.addresses.map(addressToBytes)
  const topics = filter.topics.map((position) => position.map(hashToBytes))
  const conditions = [addresses, ...topics].filter((values) => values.length > 0)
  const isShort = conditions.flat().length <= BLOOM_VALUES_MAX
  const upper = isShort
    ? matchingFromAbove(lookup, { fromBlock, toBlock }, conditions)
    : { known: [], below: toBlock }
  const indexed = { fromBlock, toBlock: upper.below, addresses, topics }
  let blocks: KnownHeader[] = []
  for await (const number of store.blocksWithLogs(indexed)) {
    const known = lookup.header(number)
    if (known === undefined) continue
    blocks.push(known)
    if (blocks.length < BLOCKS_PER_TURN) continue
    yield blocks
    blocks = []
  }
  for (const known of upper.known) {
    blocks.push(known)
    if (blocks.length < BLOCKS_PER_TURN) continue
    yield blocks
    blocks = []
  }
  if (blocks.length > 0) yield blocks
}

/**
 * The upper end of the range by the blooms of its headers, which in memory cost a tenth of the index, as long as that
 * pays: logs that are rare are left to the index, and so are headers that would have to be read one after the other.
 * Ascending; what is at or below `below` was not looked at.
 */
function matchingFromAbove(
  lookup: Lookup,
  { fromBlock, toBlock }: BlockRange,
  conditions: readonly (readonly Uint8Array[])[],
): { readonly known: readonly KnownHeader[]; readonly below: number } {
  const bits = conditions.map((values) => values.map((value) => bloomBits(value)))
  const found: KnownHeader[] = []
  let number = toBlock
  let known = lookup.header(toBlock)
  for (let credit = CREDIT_MAX; known !== undefined && number >= fromBlock; number--) {
    const { logsBloom, parentHash } = known.header
    const isMatch = bits.every((anyOf) => anyOf.some((each) => bloomMightContain(logsBloom, each)))
    if (isMatch) found.push(known)
    credit = isMatch ? Math.min(CREDIT_MAX, credit + MATCH_CREDIT) : credit - 1
    known = lookup.headerInMemory(parentHash)
    if (known === undefined && number > fromBlock) {
      credit -= READ_CREDIT
      if (credit > 0) known = lookup.header(parentHash)
    }
    if (credit <= 0) known = undefined
  }
  return { known: found.reverse(), below: number }
}

/** Lists of a thousand values each are looked through for every log of a block: so they are made sets, once. */
const MATCHERS = new WeakMap<LogPattern, (log: Log) => boolean>()

export function matcherOf(filter: LogPattern): (log: Log) => boolean {
  const known = MATCHERS.get(filter)
  if (known !== undefined) return known
  const addresses = new Set(filter.addresses)
  const topics = filter.topics.map((position) => new Set(position))
  const matches = (log: Log): boolean => {
    if (addresses.size > 0 && !addresses.has(log.address)) return false
    if (topics.length > log.topics.length) return false
    return topics.every((wanted, at) => wanted.size === 0 || wanted.has(log.topics[at]!))
  }
  MATCHERS.set(filter, matches)
  return matches
}
