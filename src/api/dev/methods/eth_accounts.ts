import { array } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { AddressText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'eth_accounts',
  summary: 'The accounts that the node signs for.',
  needs: ['wallet'],
  params: {},
  result: array(AddressText),
  run: ({ wallet }) => wallet.accounts(),
})
