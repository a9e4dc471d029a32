import { object, string, enum as zenum } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { TransactionHash } from '#api/schema/values.ts'
import { DROP_REASONS } from '#pool/submitted-transaction.ts'
import { WAIT_REASONS } from '#pool/wait-reason.ts'

const Explanation = object({
  state: zenum(['pending', 'queued', 'dropped', 'mined']),
  reason: zenum([...WAIT_REASONS, ...DROP_REASONS, 'mined']),
  since: string().optional(),
  sentence: string(),
}).meta({ title: 'explanation' })

export default defineMethod({
  name: 'txpool_explain',
  summary: 'Why a transaction waits or was dropped, since when, and the remedy; null if unknown.',
  needs: ['chain', 'pool'],
  params: { hash: TransactionHash },
  result: Explanation.nullable(),
  run: async ({ chain, pool }, { hash }) => {
    const found = await pool.explain(hash)
    if (found?.kind === 'waits') {
      const { state, reason, sinceMs, sentence } = found
      return { state, reason, since: new Date(sinceMs).toISOString(), sentence }
    }
    const mined = chain.transactionInBlock(hash)
    if (mined !== undefined) {
      const sentence = `It is transaction ${mined.index} of block ${mined.known.header.number}.`
      return { state: 'mined' as const, reason: 'mined' as const, sentence }
    }
    if (chain.lookup.transactionInBlock(hash) !== undefined) {
      const sentence = 'It is in a block that is about to be announced.'
      return { state: 'pending' as const, reason: 'turn' as const, sentence }
    }
    if (found === undefined) return null
    const { reason, atMs, sentence } = found
    return { state: 'dropped' as const, reason, since: new Date(atMs).toISOString(), sentence }
  },
})
