import { defineMethod } from '#rpc/define-method.ts'
import { PoolCountsResult } from '#rpc/schema/pool/pool-results.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'txpool_status',
  summary: 'Counts pending and queued transactions.',
  needs: ['pool'],
  params: {},
  result: PoolCountsResult,
  run: async ({ pool }) => {
    const { pending, queued } = await pool.status()
    return { pending: formatQuantity(pending), queued: formatQuantity(queued) }
  },
})
