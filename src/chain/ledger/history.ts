/** The segments of old blocks, for commands. */

import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { usageFault } from '#config/faults.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import {
  type InspectedSegment,
  inspectSegments,
  type Verification,
} from '#store/segments/inspect-segments.ts'
import { hashToBytes } from '#types/hash.ts'
import { type Ledger, openLedger, requireChainAt } from './ledger.ts'

/** The node may run. Without `verification` only the directory of each segment is read. */
export function inspectHistory(
  { genesis, writer: { path } }: Ledger,
  verification?: Verification,
): AsyncIterable<InspectedSegment> {
  requireChainAt(path)
  return inspectSegments(path, hashToBytes(genesisHashOf(genesis, loadFastKeccak())), verification)
}

export interface DropRun {
  readonly log: Log
  /** Complete blocks to keep, including the head. */
  readonly keep: number
  readonly signal: AbortSignal
  readonly onSegment: (doneBlocks: number, ofBlocks: number) => void
}

/** Reduces old segments to headers and returns the first block that stays complete. */
export async function dropHistory(
  ledger: Ledger,
  { log, keep, signal, onSegment }: DropRun,
): Promise<number> {
  const store = await openLedger(ledger, log)
  try {
    const head = store.head()
    if (head === undefined) throw usageFault('There is no chain yet: the database is empty.')
    return await store.dropMoved(Math.max(0, head.number + 1 - keep), (done, of) => {
      onSegment(done, of)
      return !signal.aborted
    })
  } finally {
    await store.close()
  }
}
