import { defineMethod } from '#rpc/define-method.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_chainId',
  summary: 'The id that transactions are signed for; null when the genesis file names none.',
  needs: ['chain'],
  params: {},
  result: QuantityText.nullable(),
  run: ({ chain }) => {
    const { chainId } = chain.genesis.config
    return chainId === undefined ? null : formatQuantity(chainId)
  },
})
