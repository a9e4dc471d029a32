/** Finds logs by address and topics through blooms and the store's index, and confirms them in the receipts. */

import type { KnownHeader } from '#chain/block/stages.ts'
import { whenFetched } from '#platform/data-pending.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { StoreReader } from '#store/reader.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { bloomBits, bloomMightContain } from '#types/block/bloom.ts'
import type { Log } from '#types/block/log.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Lookup } from './lookup.ts'

export interface LogPattern {
  /** Matches any of these addresses; every address if empty. */
  readonly addresses: readonly Address[]
  /**
   * One list per topic position, matching any of its values. An empty list matches any topic, but the topic must
   * exist.
   */
  readonly topics: readonly (readonly Hash[])[]
}

export interface FoundLog {
  readonly block: { readonly number: bigint; readonly hash: Hash; readonly timestamp: bigint }
  readonly transactionHash: Hash
  readonly transactionIndex: number
  /** The log's position in the block. */
  readonly index: number
  readonly log: Log
}

/** A block of many transactions takes a millisecond to read; others wait for a few at most. */
const BLOCKS_PER_TURN = 8
/** Each value is looked up in every bloom without yielding. */
const BLOOM_VALUES_MAX = 32
/** Credits, in blooms checked in memory: the loss at which the index takes over, the gain per match, the cost per read. */
const CREDIT_MAX = 64
const MATCH_CREDIT = 8
const READ_CREDIT = 16

export interface SearchedRange {
  readonly fromBlock: number
  readonly toBlock: number
}

/** Yields the logs of canonical blocks in order, a few blocks at a time. Throws the signal's reason once it is aborted. */
export async function* logsInRange(
  store: StoreReader,
  lookup: Lookup,
  range: SearchedRange,
  filter: LogPattern,
  signal?: AbortSignal,
): AsyncGenerator<readonly FoundLog[], void, undefined> {
  // Block 0 has no logs.
  lookup.requireWhole(Math.max(1, range.fromBlock), range.toBlock)
  for await (const blocks of inTurns(blocksToRead(store, lookup, range, filter, signal))) {
    const found: FoundLog[] = []
    for (const known of blocks)
      found.push(...(await whenFetched(() => logsInBlock(lookup, known, filter), { signal })))
    if (found.length > 0) yield found
    await nextTurn()
    signal?.throwIfAborted()
  }
}

/** The block may be canonical or not. */
export function logsInBlock(
  lookup: Lookup,
  { hash, header: { number, timestamp } }: KnownHeader,
  filter: LogPattern,
): FoundLog[] {
  const found: FoundLog[] = []
  // Read by hash, because the chain may be reorganised between two reads.
  const receipts = lookup.receipts(hash)
  if (receipts === undefined) return found
  const block = { number, timestamp, hash }
  const matches = matcherOf(filter)
  let index = 0
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    for (const log of logs) {
      if (matches(log)) {
        // The index lists blocks that may match; the body of a block without a match is never read.
        const transactionHash = lookup.transactionHash(hash, transactionIndex)
        found.push({ block, transactionHash, transactionIndex, index, log })
      }
      index++
    }
  }
  return found
}

/** Yields the blocks of `blocksToRead`, as many as one turn takes. */
async function* inTurns(
  all: AsyncIterable<KnownHeader>,
): AsyncGenerator<readonly KnownHeader[], void, undefined> {
  let blocks: KnownHeader[] = []
  for await (const known of all) {
    blocks.push(known)
    if (blocks.length < BLOCKS_PER_TURN) continue
    yield blocks
    blocks = []
  }
  if (blocks.length > 0) yield blocks
}

/** Values that the store's index has. */
export function indexedValues({ addresses, topics }: LogPattern) {
  return {
    addresses: addresses.map(addressToBytes),
    topics: topics.map((position) => position.map(hashToBytes)),
  }
}

/** Yields blocks that may contain matching logs, ascending. */
async function* blocksToRead(
  store: StoreReader,
  lookup: Lookup,
  { fromBlock, toBlock }: SearchedRange,
  filter: LogPattern,
  signal: AbortSignal | undefined,
): AsyncGenerator<KnownHeader, void, undefined> {
  const { addresses, topics } = indexedValues(filter)
  const conditions = [addresses, ...topics].filter((values) => values.length > 0)
  const isShort = conditions.flat().length <= BLOOM_VALUES_MAX
  const upper = isShort
    ? matchingFromAbove(lookup, { fromBlock, toBlock }, conditions)
    : { known: [], below: toBlock }
  const indexed = { fromBlock, toBlock: upper.below, addresses, topics, signal }
  for await (const number of store.blocksWithLogs(indexed)) {
    const known = lookup.header(number)
    if (known !== undefined) yield known
  }
  yield* upper.known
}

/**
 * Searches the upper end of the range by header blooms, which cost a tenth of the index if they are cached. Rare logs
 * and headers that are not cached are left to the index. The result ascends; blocks up to `below` were not searched.
 */
function matchingFromAbove(
  lookup: Lookup,
  { fromBlock, toBlock }: SearchedRange,
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

/** Sets are built once per filter, because lists may have a thousand values each. */
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
