import { defineMethod } from '#rpc/define-method.ts'
import { PoolStatisticsResult } from '#rpc/schema/pool/pool-results.ts'

export default defineMethod({
  name: 'txpool_clientStatistics',
  aliases: ['txpool_besuStatistics'],
  summary: 'The most transactions that the pool holds, and how many it has from this node and from others.',
  needs: ['pool'],
  params: {},
  result: PoolStatisticsResult,
  run: async ({ pool }) => {
    const { maxSize, local, remote } = await pool.status()
    return { maxSize, localCount: local, remoteCount: remote }
  },
})
