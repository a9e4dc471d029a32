import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'net_peerCount',
  summary: 'How many peers are connected.',
  needs: ['peers'],
  params: {},
  result: QuantityText,
  run: async ({ peers }) => {
    const count = await peers.count()
    if (count === undefined) throw rpcFault('P2P_DISABLED')
    return formatQuantity(count)
  },
})
