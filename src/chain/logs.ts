/** Logs by address and topics, found through the store's index and made sure of in the receipts. */
import { nextTurn } from '#platform/next-turn.ts'
import type { StoreReader } from '#store/store.ts'
import { type Address, addressToBytes } from '#types/address.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Log } from '#types/log.ts'
import type { BlockId, Lookup } from './lookup.ts'

export interface LogFilter {
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

/** Of the canonical blocks from one number to another, in order. Throws the reason of an aborted signal. */
export async function* logsInRange(
  store: StoreReader,
  lookup: Lookup,
  range: { readonly fromBlock: number; readonly toBlock: number },
  filter: LogFilter,
  signal?: AbortSignal,
): AsyncGenerator<FoundLog, void, undefined> {
  const addresses = filter.addresses.map(addressToBytes)
  const topics = filter.topics.map((position) => position.map(hashToBytes))
  let count = 0
  for await (const number of store.blocksWithLogs({ ...range, addresses, topics })) {
    yield* logsInBlock(lookup, number, filter)
    if (++count % BLOCKS_PER_TURN !== 0) continue
    await nextTurn()
    signal?.throwIfAborted()
  }
}

/** Of one block, canonical or not. */
export function* logsInBlock(
  lookup: Lookup,
  id: BlockId,
  filter: LogFilter,
): Generator<FoundLog, void, undefined> {
  const known = lookup.header(id)
  // By its hash and not by its number: the chain may be reorganised between two reads.
  const receipts = known && lookup.receipts(known.hash)
  if (known === undefined || receipts === undefined) return
  const { number, timestamp } = known.header
  const block = { number, timestamp, hash: known.hash }
  let index = 0
  for (const [transactionIndex, { logs }] of receipts.entries()) {
    for (const log of logs) {
      if (matches(log, filter)) {
        // The index names blocks that may have a match: the body of one that has none is not read.
        const transactionHash = lookup.transactionHash(known.hash, transactionIndex)
        yield { block, transactionHash, transactionIndex, index, log }
      }
      index++
    }
  }
}

export function matches({ address, topics }: Log, filter: LogFilter): boolean {
  if (filter.addresses.length > 0 && !filter.addresses.includes(address)) return false
  if (filter.topics.length > topics.length) return false
  return filter.topics.every((wanted, at) => wanted.length === 0 || wanted.includes(topics[at]!))
}
