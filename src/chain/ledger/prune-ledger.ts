import { usageFault } from '#config/faults.ts'
import type { Log } from '#platform/log/log.ts'
import { type Ledger, openLedger } from './ledger.ts'

export interface PruneRun {
  readonly log: Log
  /** States are left alone if undefined. */
  readonly keepStates: number | undefined
  /** Traces are left alone if undefined. */
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

export async function pruneLedger(ledger: Ledger, run: PruneRun): Promise<PruneResult> {
  const { keepStates, tracesBefore, signal } = run
  const store = await openLedger(ledger, run.log, keepStates)
  try {
    const head = store.head()
    if (head === undefined) throw usageFault('There is no chain yet: the database is empty.')
    if (tracesBefore !== undefined && tracesBefore > head.number + 1)
      throw usageFault(
        `The chain ends at block ${head.number}; --traces-before is ${head.number + 1} at most.`,
      )
    if (keepStates !== undefined) {
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
