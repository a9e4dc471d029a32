/**
 * The import cost of storing call trees, by CPU time: the same blocks go into two stores, one with call trees and one
 * without.
 */
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { importInto, openBenchChain } from './bench-chain.ts'
import { TRANSFERS, type TraceChain } from './trace-chain.ts'

const INDEXES = [TABLE.traceCaller, TABLE.traceCallee]

export interface ImportCost {
  readonly percent: number
  /** The result from even and from odd rounds only: their distance shows the precision. */
  readonly halves: readonly [number, number]
  readonly microsEach: number
  readonly bytesEach: number
}

/** CPU time of one block in both stores, in microseconds. */
interface Pair {
  readonly kept: number
  readonly plain: number
}

/**
 * Imports every block into one store and at once into the other, and reports the median of the ratios. Garbage
 * collections and database compactions cost several times the difference to be measured, but they affect single pairs
 * and not the median. A machine that is slow for a while affects both stores.
 */
export async function measureImport(chain: TraceChain, rounds: number): Promise<ImportCost> {
  await importBoth(chain, 0)
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) measured.push(await importBoth(chain, round))
  const percentOf = (some: readonly Round[]): number =>
    100 * (median(some.flatMap(({ pairs }) => pairs.map(({ kept, plain }) => kept / plain))) - 1)
  const plain = median(measured.flatMap(({ pairs }) => pairs.map((pair) => pair.plain)))
  return {
    percent: percentOf(measured),
    halves: [
      percentOf(measured.filter((_, round) => round % 2 === 0)),
      percentOf(measured.filter((_, round) => round % 2 === 1)),
    ],
    microsEach: plain / TRANSFERS,
    bytesEach: measured[0]!.bytes / chain.transactions.flat().length,
  }
}

interface Round {
  readonly pairs: readonly Pair[]
  /** Bytes of all call trees and their index. */
  readonly bytes: number
}

/** Pairs come only from transfer blocks: a long loop is one call and would hide the cost of calls. */
async function importBoth({ genesisText, blocks, transactions }: TraceChain, round: number): Promise<Round> {
  const kept = await openImport(genesisText, true)
  const plain = await openImport(genesisText, false)
  const pairs: Pair[] = []
  for (const [index, block] of blocks.entries()) {
    // The order alternates, so neither store benefits from running second.
    const isKeptFirst = (index + round) % 2 === 0
    const first = await (isKeptFirst ? kept : plain).take(block)
    const second = await (isKeptFirst ? plain : kept).take(block)
    if (transactions[index]!.length === 1) continue
    pairs.push(isKeptFirst ? { kept: first, plain: second } : { kept: second, plain: first })
  }
  const bytes = await kept.end()
  // Block 0 always has an empty list of trees; an index exists only if trees are stored.
  if (bytes.index === 0 || (await plain.end()).index > 0)
    throw new Error('one store has call trees against its setting, or none')
  return { pairs, bytes: bytes.trees + bytes.index }
}

async function openImport(genesisText: string, keepCallTrees: boolean) {
  const folder = createTemporaryDirectory('cairn-bench-')
  const kv = await openLevelKv(folder.path, { createIfMissing: true })
  const chain = await openBenchChain(genesisText, kv, keepCallTrees)
  return {
    /** Imports a block; returns microseconds of CPU time. */
    take: async (block: Uint8Array): Promise<number> => {
      const start = process.cpuUsage()
      await importInto(chain, block)
      const { user, system } = process.cpuUsage(start)
      return user + system
    },
    /** Closes and removes the store; returns its sizes. */
    end: async (): Promise<{ trees: number; index: number }> => {
      const bytes = { trees: await bytesOf(kv, [TABLE.callTrees]), index: await bytesOf(kv, INDEXES) }
      await chain.store.close()
      folder.remove()
      return bytes
    },
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

async function bytesOf(kv: Kv, tables: readonly number[]): Promise<number> {
  let bytes = 0
  for (const table of tables) {
    const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1), limit: Number.MAX_SAFE_INTEGER }
    for await (const [key, value] of kv.range(range)) bytes += key.length + value.length
  }
  return bytes
}
