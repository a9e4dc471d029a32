import { string } from 'zod'
import { defineMethod } from '#api/define-method.ts'

export default defineMethod({
  name: 'net_version',
  summary: 'The network id.',
  needs: ['node'],
  params: {},
  result: string().meta({ description: 'a decimal number', pattern: '^[0-9]+$' }),
  run: ({ node }) => node.networkId().toString(),
})
