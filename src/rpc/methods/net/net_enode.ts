import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { runningSelf } from '#rpc/running-self.ts'
import { formatEnode } from '#types/enode.ts'

export default defineMethod({
  name: 'net_enode',
  summary: 'The enode URL of this node, by which others connect to it.',
  needs: ['peers'],
  params: {},
  result: string(),
  run: async ({ peers }) => formatEnode((await runningSelf(peers)).enode),
})
