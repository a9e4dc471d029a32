import { defineMethod } from '#rpc/define-method.ts'
import { contentText } from '#rpc/present/pool/pool-content.ts'
import { poolLine } from '#rpc/present/pool/pool-line.ts'
import { poolItems } from '#rpc/present/pool/pool-transaction.ts'
import { PoolLinesResult } from '#rpc/schema/pool/pool-results.ts'

export default defineMethod({
  name: 'txpool_inspect',
  summary: 'The transactions of the pool by sender and nonce, each as a line of text.',
  needs: ['pool'],
  cost: 'medium',
  params: {},
  result: PoolLinesResult,
  run: ({ pool }) => contentText(poolItems(pool), poolLine),
})
