/** Offers the selected transactions that a plugin accepts, asking in batches because each question crosses threads. */
import type { Candidate, SelectionOrder } from '#chain/build/candidates.ts'
import type { Address } from '#types/address.ts'
import type { PoolEntry } from './core/pool-entry.ts'
import type { Selection } from './core/selection.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

/** Called once per block; later questions share the rest of its time. */
export type JudgeCandidates = (
  order: SelectionOrder,
) => (transactions: readonly SubmittedTransaction[]) => Promise<readonly (true | string)[]>

export interface JudgingCandidates {
  mayBeIn(entry: PoolEntry): boolean | Promise<boolean>
  readonly judge: ReturnType<JudgeCandidates>
  onRefused(entry: PoolEntry, why?: string): void
}

/** The first batch is small, so a block can start early. */
const BATCH = { first: 32, most: 256 }

export async function* offerJudged(
  selection: Selection,
  { mayBeIn, judge, onRefused }: JudgingCandidates,
): AsyncGenerator<Candidate, void, undefined> {
  const entries = selection.entries()
  /** Senders with a refused transaction, and its nonce; their later ones are skipped. */
  const refused = new Map<Address, bigint>()
  for (let size = BATCH.first; ; size = Math.min(BATCH.most, 2 * size)) {
    const batch: PoolEntry[] = []
    let isLast = false
    while (batch.length < size) {
      const next = entries.next()
      if (next.done) {
        isLast = true
        break
      }
      const entry = next.value
      if (refused.has(entry.transaction.sender)) selection.passOver()
      else if (await mayBeIn(entry)) batch.push(entry)
      else {
        onRefused(entry)
        selection.passOver()
      }
    }
    const verdicts = batch.length === 0 ? [] : await judge(batch.map(({ transaction }) => transaction))
    for (const [index, entry] of batch.entries()) {
      const { encoded, sender, nonce } = entry.transaction
      if (refused.has(sender)) continue
      const verdict = verdicts[index]
      if (verdict === true) yield { encoded, sender }
      else {
        onRefused(entry, verdict)
        refused.set(sender, nonce)
      }
    }
    if (isLast) break
  }
  for (const [sender, nonce] of refused) selection.continueAt(sender, nonce)
}
