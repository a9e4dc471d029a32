/**
 * Index of blocks by log address and topic. It is a filter: 8 bytes folded from each address and topic keep a key at
 * 15 bytes instead of 39, and entries of rewound blocks stay. Callers check the logs of the blocks it returns.
 */
import { NUMBER_BYTES, numberAt, TABLE } from './kv/keys.ts'
import type { Kv, KvBatch } from './kv/kv.ts'
import type { PastBlocks } from './segments/past-blocks.ts'
import type { LoggedBlocksQuery } from './store.ts'

const FOLDED_BYTES = 8
const KEY_BYTES = 1 + FOLDED_BYTES + NUMBER_BYTES
const NOTHING = new Uint8Array(0)
/** Shared, because batches copy keys. */
const shared = Buffer.alloc(KEY_BYTES)
/** Blocks per step, so a wide query uses little memory and can stop early. */
const WINDOW_BLOCKS = 100_000

export interface LogSource {
  readonly kv: Kv
  readonly past: PastBlocks
}

type LogTable = typeof TABLE.logAddress | typeof TABLE.logTopic

/** Repetitions cost a write each and change nothing. */
export function writeLogIndex(
  batch: KvBatch,
  number: number,
  addresses: readonly Uint8Array[],
  topics: readonly Uint8Array[],
): void {
  for (const address of addresses) batch.put(fillKey(shared, TABLE.logAddress, address, number), NOTHING)
  for (const topic of topics) batch.put(fillKey(shared, TABLE.logTopic, topic, number), NOTHING)
}

export function deleteLogIndex(
  batch: KvBatch,
  number: number,
  addresses: readonly Uint8Array[],
  topics: readonly Uint8Array[],
): void {
  for (const address of addresses) batch.delete(fillKey(shared, TABLE.logAddress, address, number))
  for (const topic of topics) batch.delete(fillKey(shared, TABLE.logTopic, topic, number))
}

/** Yields block numbers in ascending order; every block of the range without any address or topic. */
export async function* blocksWithLogs(source: LogSource, query: LoggedBlocksQuery): AsyncIterable<number> {
  const wanted: [LogTable, readonly Uint8Array[]][] = [
    [TABLE.logAddress, query.addresses],
    ...query.topics.map((topics): [LogTable, readonly Uint8Array[]] => [TABLE.logTopic, topics]),
  ]
  const conditions = wanted.filter(([, values]) => values.length > 0)
  for (let from = query.fromBlock; from <= query.toBlock; from += WINDOW_BLOCKS) {
    query.signal?.throwIfAborted()
    const to = Math.min(query.toBlock, from + WINDOW_BLOCKS - 1)
    yield* await matchingBlocks(source, conditions, from, to)
  }
}

async function matchingBlocks(
  source: LogSource,
  conditions: readonly [LogTable, readonly Uint8Array[]][],
  from: number,
  to: number,
): Promise<number[]> {
  let matching: Set<number> | undefined
  for (const [table, values] of conditions) {
    const found = new Set<number>()
    for (const value of values) {
      for (const number of await indexedBlocks(source, table, value, from, to)) {
        if (matching === undefined || matching.has(number)) found.add(number)
      }
    }
    matching = found
    if (matching.size === 0) return []
  }
  if (matching === undefined) return Array.from({ length: to - from + 1 }, (_, index) => from + index)
  return [...matching].sort((a, b) => a - b)
}

async function indexedBlocks(
  { kv, past }: LogSource,
  table: LogTable,
  value: Uint8Array,
  from: number,
  to: number,
): Promise<number[]> {
  const numbers: number[] = []
  const range = { gte: logKey(table, value, from), lt: logKey(table, value, to + 1), limit: WINDOW_BLOCKS }
  for await (const [key] of kv.range(range)) {
    numbers.push(numberAt(key, 1 + FOLDED_BYTES))
  }
  // Asked after the database: entries that were deleted before it was read are in segments.
  const index = table === TABLE.logAddress ? 'logAddress' : 'logTopic'
  for (const number of past.blocksWithLogs(index, value, from, to)) numbers.push(number)
  return numbers
}

function logKey(table: LogTable, value: Uint8Array, number: number): Buffer {
  return fillKey(Buffer.alloc(KEY_BYTES), table, value, number)
}

function fillKey(key: Buffer, table: LogTable, value: Uint8Array, number: number): Buffer {
  key.fill(0)
  key[0] = table
  for (let index = 0; index < value.length; index++) key[1 + (index % FOLDED_BYTES)]! ^= value[index]!
  key.writeUIntBE(number, 1 + FOLDED_BYTES, NUMBER_BYTES)
  return key
}
