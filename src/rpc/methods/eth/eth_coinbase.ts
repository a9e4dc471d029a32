import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { AddressText } from '#rpc/schema/address.ts'

/** Besu knows the name and never serves it; so does a node that makes no blocks. */
export default defineMethod({
  name: 'eth_coinbase',
  summary: 'The account that is named in the blocks of this node; refused where it makes none.',
  needs: ['consensus'],
  params: {},
  result: AddressText,
  run: async ({ consensus }) => {
    const coinbase = await consensus.coinbase()
    if (coinbase === undefined) throw rpcFault('METHOD_NOT_ENABLED')
    return coinbase
  },
})
