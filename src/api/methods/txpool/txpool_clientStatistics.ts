import { int, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'txpool_clientStatistics',
  aliases: ['txpool_besuStatistics'],
  summary: 'The capacity of the pool and its numbers of local and remote transactions.',
  needs: ['pool'],
  params: {},
  result: object({ maxSize: int(), localCount: int(), remoteCount: int() }).meta({
    title: 'pool statistics',
  }),
  run: async ({ pool }) => {
    const { maxSize, local, remote } = await pool.status()
    return { maxSize, localCount: local, remoteCount: remote }
  },
})
