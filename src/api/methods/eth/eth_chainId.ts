import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_chainId',
  summary: 'The chain id that transactions are signed for; null if the genesis file has none.',
  needs: ['chain'],
  params: {},
  result: QuantityText.nullable(),
  run: ({ chain }) => {
    const { chainId } = chain.genesis.config
    return chainId === undefined ? null : formatQuantity(chainId)
  },
})
