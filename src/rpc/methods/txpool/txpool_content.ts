import { defineMethod } from '#rpc/define-method.ts'
import { contentText } from '#rpc/present/pool/pool-content.ts'
import { poolItems, presentPoolTransaction } from '#rpc/present/pool/pool-transaction.ts'
import { PoolContentResult } from '#rpc/schema/pool/pool-results.ts'

export default defineMethod({
  name: 'txpool_content',
  summary: 'The transactions of the pool, pending and queued, by sender and nonce.',
  needs: ['pool'],
  cost: 'medium',
  params: {},
  result: PoolContentResult,
  run: ({ pool }) => contentText(poolItems(pool), presentPoolTransaction),
})
