/** Chains whose blocks move, and everything that readers ask about blocks, to compare answers before and after. */
import { call, extend, LOGGER, REVERTER, SOMEBODY, silentLog } from '#chain/chain.fixture.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { NUMBER_BYTES, TABLE } from '#store/kv/keys.ts'
import type { StoreReader } from '#store/reader.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import type { Chain } from './create-chain.ts'
import { HistoryMover } from './move-history.ts'
import type { SourceHeader } from './rebuild-segment.ts'

export const SEGMENT_BLOCKS = 8
export const HOT_BLOCKS = 5

/** The mover of a running node rests; tests and benchmarks do not wait for it. */
export const RESTLESS: Clock = {
  ...systemClock,
  after: (_, run, options) => systemClock.after(0, run, options),
}

/** Adds blocks with transfers, logs, reverted calls and without transactions. */
export async function growChain(chain: Chain, blocks: number): Promise<void> {
  let nonce = transactionCount(chain)
  for (let block = 0; block < blocks; block++) {
    const targets = [[SOMEBODY, LOGGER], [], [REVERTER], [LOGGER]][block % 4]!
    await extend(
      chain,
      targets.map((to) => call(nonce++, to)),
    )
  }
}

function transactionCount(chain: Chain): number {
  const lookup = new Lookup(chain.store)
  let count = 0
  for (let number = 0; number <= Number(chain.head.header.number); number++)
    count += lookup.block(number)!.block.transactions.length
  return count
}

export function moverOf({ store }: Chain): HistoryMover {
  const sizes = { hotBlocks: HOT_BLOCKS, segmentBlocks: SEGMENT_BLOCKS }
  return new HistoryMover({ store, keccak: keccak256, clock: RESTLESS, log: silentLog, ...sizes })
}

/** Headers from the highest to the lowest, as peers send them. */
export function headersDown({ store }: Chain, highest: number, lowest: number): SourceHeader[] {
  const lookup = new Lookup(store)
  return Array.from({ length: highest - lowest + 1 }, (_, at) => ({
    ...lookup.header(highest - at)!,
    encoded: lookup.encodedHeader(highest - at)!,
  }))
}

/** Numbers of blocks with entries in a table whose keys begin with the number. */
export async function blocksInDatabase(chain: Chain, table: number = TABLE.header): Promise<number[]> {
  const numbers = new Set<number>()
  const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1), limit: 100_000 }
  for await (const [key] of chain.store.kv.range(range))
    numbers.add(Buffer.from(key).readUIntBE(1, NUMBER_BYTES))
  return [...numbers].sort((a, b) => a - b)
}

export async function allAnswers(store: StoreReader): Promise<string[]> {
  const lookup = new Lookup(store)
  const head = store.head()!.number
  const answers: unknown[] = []
  for (let number = 0; number <= head; number++) answers.push(answersFor(lookup, store, number))
  const range = { fromBlock: 0, toBlock: head }
  for (const filter of filtersOf(lookup, head)) {
    for await (const logs of lookup.logs(range, filter)) answers.push(logs)
  }
  for (const address of sendersOf(lookup, head)) {
    for (const [callers, callees] of [
      [[address], []],
      [[], [address]],
    ] as const) {
      for await (const found of lookup.transactionsWithCalls(range, callers, callees)) answers.push(found)
    }
  }
  return answers.map(textOf)
}

/** Bytes are equal as text, whichever kind of array has them. */
function textOf(answer: unknown): string {
  return JSON.stringify(answer, function (this: Record<string, unknown>, key) {
    // A Buffer has become an object before it is passed as the value.
    const value = this[key]
    if (typeof value === 'bigint') return `${value}`
    return value instanceof Uint8Array ? formatData(value) : value
  })
}

function answersFor(lookup: Lookup, store: StoreReader, number: number): unknown {
  const known = lookup.block(number)!
  const { hash, block } = known
  return {
    number,
    hash,
    header: lookup.encodedHeader(number),
    headerByHash: lookup.header(hash),
    body: lookup.encodedBody(hash),
    receipts: lookup.encodedReceipts(number),
    callTrees: lookup.callTrees(hash),
    isCanonical: lookup.isCanonical(hash),
    places: block.transactions.map((transaction) => {
      const found = lookup.transactionInBlock(transaction.hash)
      return [found?.known.hash, found?.index]
    }),
    canonical: store.canonicalHash(number),
  }
}

function filtersOf(lookup: Lookup, head: number) {
  const logs = receiptsOf(lookup, head).flatMap((receipt) => receipt.logs)
  const addresses = [...new Set(logs.map(({ address }) => address))]
  const topics = [...new Set(logs.flatMap((log) => log.topics))]
  return [
    { addresses: [], topics: [] },
    ...addresses.map((address) => ({ addresses: [address], topics: [] })),
    ...topics.map((topic) => ({ addresses: [], topics: [[topic]] })),
  ]
}

function sendersOf(lookup: Lookup, head: number) {
  const callees = Array.from({ length: head + 1 }, (_, number) => lookup.block(number)!.block.transactions)
  const addresses = callees.flat().flatMap(({ to }) => to ?? [])
  return [...new Set([...receiptsOf(lookup, head).map(({ sender }) => sender), ...addresses])]
}

function receiptsOf(lookup: Lookup, head: number) {
  return Array.from({ length: head + 1 }, (_, number) => lookup.receipts(number) ?? []).flat()
}
