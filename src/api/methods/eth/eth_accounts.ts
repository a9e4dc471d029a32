import { array } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { AddressText } from '#api/schema/values.ts'

export default defineMethod({
  name: 'eth_accounts',
  summary: 'The accounts that the node signs for: none.',
  needs: [],
  params: {},
  result: array(AddressText),
  run: () => [],
})
