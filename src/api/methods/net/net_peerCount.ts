import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'net_peerCount',
  summary: 'The number of connected peers.',
  needs: ['peers'],
  params: {},
  result: QuantityText,
  run: async ({ peers }) => {
    const count = await peers.count()
    if (count === undefined) throw rpcFault('P2P_DISABLED')
    return formatQuantity(count)
  },
})
