/** What keeping call trees costs at import: the same blocks into two stores, one with and one without, by CPU time. */
import { createTemporaryDirectory } from '#platform/files/temporary-directory.ts'
import { TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKv } from '#store/kv/kv.ts'
import { importInto, openBenchChain } from './bench-chain.ts'
import { TRANSFERS, type TraceChain } from './trace-chain.ts'

const INDEXES = [TABLE.traceCaller, TABLE.traceCallee]

export interface ImportCost {
  readonly percent: number
  /** The same from every other round only: how far they lie apart says how much the figure is worth. */
  readonly halves: readonly [number, number]
  readonly microsEach: number
  readonly bytesEach: number
}

/** What one block took in both stores, in microseconds. */
interface Pair {
  readonly kept: number
  readonly plain: number
}

/**
 * Every block goes into one store and at once into the other, and the median of what they took by comparison is told.
 * Collections of garbage and compactions of the database come when they like and cost several times what is looked for:
 * they spoil single pairs and not the median; and what slows the machine down for a while slows both.
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
  /** Of all call trees and their index. */
  readonly bytes: number
}

/** Pairs are of blocks of transfers only: a long loop has one call, and would hide what calls cost. */
async function importBoth({ genesisText, blocks, transactions }: TraceChain, round: number): Promise<Round> {
  const kept = await openImport(genesisText, true)
  const plain = await openImport(genesisText, false)
  const pairs: Pair[] = []
  for (const [index, block] of blocks.entries()) {
    // Which comes first changes, so that what the first does for the second favours neither.
    const isKeptFirst = (index + round) % 2 === 0
    const first = await (isKeptFirst ? kept : plain).take(block)
    const second = await (isKeptFirst ? plain : kept).take(block)
    if (transactions[index]!.length === 1) continue
    pairs.push(isKeptFirst ? { kept: first, plain: second } : { kept: second, plain: first })
  }
  const bytes = await kept.end()
  // Block 0 has an empty list of trees in any case; an index is there only if they are kept.
  if (bytes.index === 0 || (await plain.end()).index > 0)
    throw new Error('call trees are kept where they should not be, or not')
  return { pairs, bytes: bytes.trees + bytes.index }
}

async function openImport(genesisText: string, keepCallTrees: boolean) {
  const folder = createTemporaryDirectory('cairn-bench-')
  const kv = await openLevelKv(folder.path, { createIfMissing: true })
  const chain = await openBenchChain(genesisText, kv, keepCallTrees)
  return {
    /** Imports a block; microseconds of CPU time. */
    take: async (block: Uint8Array): Promise<number> => {
      const start = process.cpuUsage()
      await importInto(chain, block)
      const { user, system } = process.cpuUsage(start)
      return user + system
    },
    /** Closes and removes it; how many bytes it had. */
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
