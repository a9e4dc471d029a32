/** What keeping call trees costs at import: the same blocks into fresh stores, with and without, by CPU time. */
import { createTemporaryDirectory } from '#platform/temporary-directory.ts'
import { TABLE } from '#store/keys.ts'
import { type Kv, openLevelKv } from '#store/kv.ts'
import { importInto, openBenchChain } from './bench-chain.ts'
import type { TraceChain } from './trace-chain.ts'

const INDEXES = [TABLE.traceCaller, TABLE.traceCallee]

export interface ImportCost {
  readonly percent: number
  /** The same from every other run only: how far they lie apart says how much the figure is worth. */
  readonly halves: readonly [number, number]
  readonly microsEach: number
  readonly bytesEach: number
}

/**
 * Of every block the least that it took in any run: collections of garbage and compactions of the database come when they
 * like, and cost several times what is looked for.
 */
export async function measureImport(chain: TraceChain, runs: number): Promise<ImportCost> {
  const kept: number[][] = []
  const plain: number[][] = []
  let bytes = 0
  await importAll(chain, true)
  for (let run = 0; run < runs; run++) {
    // Which comes first changes, so that what grows with time favours neither.
    for (const isKept of run % 2 === 0 ? [false, true] : [true, false]) {
      const { micros, treeBytes, indexBytes } = await importAll(chain, isKept)
      if (indexBytes > 0 !== isKept) throw new Error('call trees are kept where they should not be, or not')
      if (isKept) bytes = treeBytes + indexBytes
      ;(isKept ? kept : plain).push(micros)
    }
  }
  const percentOf = (isTaken: (run: number) => boolean): number => {
    const least = (list: number[][]): number => leastOf(list.filter((_, run) => isTaken(run)))
    return 100 * (least(kept) / least(plain) - 1)
  }
  const transfers = chain.transactions.filter(({ length }) => length > 1).flat().length
  return {
    percent: percentOf(() => true),
    halves: [percentOf((run) => run % 2 === 0), percentOf((run) => run % 2 === 1)],
    microsEach: leastOf(plain) / transfers,
    bytesEach: bytes / chain.transactions.flat().length,
  }
}

function leastOf(runs: readonly (readonly number[])[]): number {
  return runs[0]!.reduce((sum, _, block) => sum + Math.min(...runs.map((micros) => micros[block]!)), 0)
}

/** Time is counted of blocks of transfers only: a long loop has one call, and would hide what calls cost. */
async function importAll({ genesisText, blocks, transactions }: TraceChain, keepCallTrees: boolean) {
  const folder = createTemporaryDirectory('cairn-bench-')
  const kv = await openLevelKv(folder.path, { createIfMissing: true })
  const chain = await openBenchChain(genesisText, kv, keepCallTrees)
  const micros: number[] = []
  for (const [index, block] of blocks.entries()) {
    const start = process.cpuUsage()
    await importInto(chain, block)
    const { user, system } = process.cpuUsage(start)
    if (transactions[index]!.length > 1) micros.push(user + system)
  }
  // Block 0 has an empty list of trees in any case; an index is there only if they are kept.
  const [treeBytes, indexBytes] = [await bytesOf(kv, [TABLE.callTrees]), await bytesOf(kv, INDEXES)]
  await chain.store.close()
  folder.remove()
  return { micros, treeBytes, indexBytes }
}

async function bytesOf(kv: Kv, tables: readonly number[]): Promise<number> {
  let bytes = 0
  for (const table of tables) {
    const range = { gte: Uint8Array.of(table), lt: Uint8Array.of(table + 1), limit: Number.MAX_SAFE_INTEGER }
    for await (const [key, value] of kv.range(range)) bytes += key.length + value.length
  }
  return bytes
}
