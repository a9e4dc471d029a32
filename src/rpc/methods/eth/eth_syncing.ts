import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'eth_syncing',
  summary: 'Whether the node catches up with others: false, since it has no peers to catch up with.',
  needs: ['chain'],
  params: {},
  result: boolean(),
  run: () => false,
})
