import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { runningSelf } from '#api/running-self.ts'
import { formatEnode } from '#types/enode.ts'

export default defineMethod({
  name: 'net_enode',
  summary: 'The enode URL of this node.',
  needs: ['peers'],
  params: {},
  result: string(),
  run: async ({ peers }) => formatEnode((await runningSelf(peers)).enode),
})
