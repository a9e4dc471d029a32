import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'eth_syncing',
  summary: 'Whether the node is synchronising: false, since it has no peers.',
  needs: ['chain'],
  params: {},
  result: boolean(),
  run: () => false,
})
