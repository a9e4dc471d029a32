import { defineMethod } from '#api/define-method.ts'
import { AddressText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

/** As in Besu, it is never served unless the node proposes blocks. */
export default defineMethod({
  name: 'eth_coinbase',
  summary: 'The coinbase of the blocks of this node; refused if it produces none.',
  needs: ['consensus'],
  params: {},
  result: AddressText,
  run: async ({ consensus }) => {
    const coinbase = await consensus.coinbase()
    if (coinbase === undefined) throw rpcFault('METHOD_NOT_ENABLED')
    return coinbase
  },
})
