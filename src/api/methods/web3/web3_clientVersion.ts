import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'web3_clientVersion',
  summary: 'Product, version and platform of the node.',
  needs: ['node'],
  params: {},
  result: string(),
  run: ({ node }) => node.clientVersion(),
})
