/**
 * Index of blocks and transactions by caller and callee. Entries of rewound blocks stay until another block with the
 * same number overwrites them, so callers check the calls of each result.
 */

import { ADDRESS_BYTES } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { NUMBER_BYTES, numberAt, TABLE } from './kv/keys.ts'
import type { Kv, KvBatch } from './kv/kv.ts'
import { ValueReader, ValueWriter } from './kv/varint.ts'
import type { PastBlocks } from './segments/past-blocks.ts'
import type { TracedAddress, TracedParties, TracedTransactions, TraceQuery } from './store.ts'

const KEY_BYTES = 1 + ADDRESS_BYTES + NUMBER_BYTES
/** Shared, because batches copy keys. */
const shared = Buffer.alloc(KEY_BYTES)
const positions = new ValueWriter()
/** Blocks per step, so a wide query uses little memory and can stop early. */
const WINDOW_BLOCKS = 100_000

export interface TraceSource {
  readonly kv: Kv
  readonly past: PastBlocks
}

type TraceTable = typeof TABLE.traceCaller | typeof TABLE.traceCallee
/** Transaction positions by block. */
type Found = Map<number, ReadonlySet<number>>

export function writeTraceIndex(batch: KvBatch, number: number, { callers, callees }: TracedParties): void {
  for (const caller of callers) putEntry(batch, TABLE.traceCaller, number, caller)
  for (const callee of callees) putEntry(batch, TABLE.traceCallee, number, callee)
}

export function deleteTraceIndex(batch: KvBatch, number: number, { callers, callees }: TracedParties): void {
  for (const { address } of callers) batch.delete(fillKey(shared, TABLE.traceCaller, address, number))
  for (const { address } of callees) batch.delete(fillKey(shared, TABLE.traceCallee, address, number))
}

/** Yields blocks in ascending order. */
export async function* tracedBlocks(
  source: TraceSource,
  query: TraceQuery,
): AsyncIterable<TracedTransactions> {
  const { callers, callees } = query
  assert(callers.length + callees.length > 0, 'A query of the index names addresses.')
  for (let from = query.fromBlock; from <= query.toBlock; from += WINDOW_BLOCKS) {
    const to = Math.min(query.toBlock, from + WINDOW_BLOCKS - 1)
    const called = await find(source, TABLE.traceCaller, callers, from, to)
    const wereCalled = await find(source, TABLE.traceCallee, callees, from, to)
    const matching = called === undefined ? wereCalled! : inBoth(called, wereCalled)
    const numbers = [...matching.keys()].sort((a, b) => a - b)
    for (const number of numbers) {
      yield { number, transactions: [...matching.get(number)!].sort((a, b) => a - b) }
    }
  }
}

/** Returns undefined without addresses, which matches every block. */
async function find(
  { kv, past }: TraceSource,
  table: TraceTable,
  addresses: readonly Uint8Array[],
  from: number,
  to: number,
): Promise<Found | undefined> {
  if (addresses.length === 0) return undefined
  const found = new Map<number, Set<number>>()
  const add = (number: number, positions: Iterable<number>): void => {
    const transactions = found.get(number) ?? new Set()
    for (const position of positions) transactions.add(position)
    found.set(number, transactions)
  }
  const index = table === TABLE.traceCaller ? 'caller' : 'callee'
  for (const address of addresses) {
    const gte = fillKey(Buffer.alloc(KEY_BYTES), table, address, from)
    const lt = fillKey(Buffer.alloc(KEY_BYTES), table, address, to + 1)
    for await (const [key, value] of kv.range({ gte, lt, limit: WINDOW_BLOCKS })) {
      add(numberAt(key, 1 + ADDRESS_BYTES), readPositions(value))
    }
    // Asked after the database: entries that were deleted before it was read are in segments.
    for (const { number, transactions } of past.tracedTransactions(index, address, from, to))
      add(number, transactions)
  }
  return found
}

function inBoth(called: Found, wereCalled: Found | undefined): Found {
  if (wereCalled === undefined) return called
  const both: Found = new Map()
  for (const [number, transactions] of called) {
    const common = transactions.intersection(wereCalled.get(number) ?? new Set())
    if (common.size > 0) both.set(number, common)
  }
  return both
}

function putEntry(batch: KvBatch, table: TraceTable, number: number, traced: TracedAddress): void {
  positions.clear()
  let last = -1
  for (const position of traced.transactions) {
    assert(position > last, 'Positions ascend.')
    positions.varint(position - last - 1)
    last = position
  }
  batch.put(fillKey(shared, table, traced.address, number), positions.view())
}

function* readPositions(value: Uint8Array): Generator<number> {
  const reader = new ValueReader(value)
  for (let last = -1; reader.left > 0; ) {
    last += reader.varint() + 1
    yield last
  }
}

function fillKey(key: Buffer, table: TraceTable, address: Uint8Array, number: number): Buffer {
  assert(address.length === ADDRESS_BYTES, 'An address has 20 bytes.')
  key[0] = table
  key.set(address, 1)
  key.writeUIntBE(number, 1 + ADDRESS_BYTES, NUMBER_BYTES)
  return key
}
