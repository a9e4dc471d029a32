import type { Candidate, OfferedCandidate } from '#chain/build/candidates.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import type { Selection } from './core/selection.ts'

/** Those of a selection that are permitted: at once where that is known at once. */
export function* offerPermitted(
  selection: Selection,
  permits: (entry: PoolEntry) => boolean | Promise<boolean>,
  onRefused: (entry: PoolEntry) => void,
): Generator<OfferedCandidate, void, undefined> {
  const judge = (entry: PoolEntry, isPermitted: boolean): Candidate | undefined => {
    if (isPermitted) return { encoded: entry.transaction.encoded, sender: entry.transaction.sender }
    onRefused(entry)
    selection.passOver()
    return undefined
  }
  for (const entry of selection.entries()) {
    const verdict = permits(entry)
    if (typeof verdict !== 'boolean') yield verdict.then((isPermitted) => judge(entry, isPermitted))
    else {
      const candidate = judge(entry, verdict)
      if (candidate !== undefined) yield candidate
    }
  }
}
