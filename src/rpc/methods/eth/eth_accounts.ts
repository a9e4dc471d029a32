import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { AddressText } from '#rpc/schema/address.ts'

/** The node keeps no keys of accounts. */
export default defineMethod({
  name: 'eth_accounts',
  summary: 'The accounts that the node signs for: none.',
  needs: [],
  params: {},
  result: array(AddressText),
  run: () => [],
})
