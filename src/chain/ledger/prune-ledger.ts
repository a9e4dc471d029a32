/** Removes what a chain can do without: of a command that has the ledger to itself. */
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { usageFault } from '#config/faults.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { openStore } from '#store/open-store.ts'
import { hashToBytes } from '#types/hash.ts'
import type { Ledger } from './ledger.ts'

export interface PruneRun {
  readonly log: Log
  /** undefined: states are left as they are. */
  readonly keepStates: number | undefined
  /** undefined: traces are left as they are. */
  readonly tracesBefore: number | undefined
  readonly signal: AbortSignal
  readonly onStates: (lowest: number, target: number) => void
  readonly onTraces: (removed: number) => void
}

export interface PruneResult {
  readonly lowestState: number
  readonly removedTraces: number
  readonly tracedFrom: number
}

export async function pruneLedger({ genesis, writer }: Ledger, run: PruneRun): Promise<PruneResult> {
  if (kindOfPath(writer.path) === undefined)
    throw usageFault(`There is no chain at ${writer.path}; name the node's directory with --data-path.`)
  const { keepStates = writer.historyBlocks, tracesBefore, signal } = run
  const genesisHash = hashToBytes(genesisHashOf(genesis, await loadFastKeccak()))
  const { path, format } = writer
  const { forks } = genesis.config.forks
  const store = await openStore({ path, format, historyBlocks: keepStates, genesisHash, forks, log: run.log })
  try {
    const head = store.head()
    if (head === undefined) throw usageFault('There is no chain yet: the database is empty.')
    if (tracesBefore !== undefined && tracesBefore > head.number + 1)
      throw usageFault(
        `The chain ends at block ${head.number}; --traces-before is ${head.number + 1} at most.`,
      )
    if (run.keepStates !== undefined) {
      await store.pruneHistory((lowest, target) => {
        run.onStates(lowest, target)
        return !signal.aborted
      })
    }
    const removedTraces =
      tracesBefore === undefined
        ? 0
        : await store.forgetTraces(tracesBefore, (removed) => {
            run.onTraces(removed)
            return !signal.aborted
          })
    return { lowestState: store.lowestState(), removedTraces, tracedFrom: store.tracedFrom() }
  } finally {
    await store.close()
  }
}
