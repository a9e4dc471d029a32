import { string } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'

export default defineMethod({
  name: 'web3_clientVersion',
  summary: 'Names the product, its version and the platform it runs on.',
  needs: ['node'],
  params: {},
  result: string(),
  run: ({ node }) => node.clientVersion(),
})
