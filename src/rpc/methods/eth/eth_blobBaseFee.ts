import { nextHeader } from '#chain/read/call-site.ts'
import { blobBaseFee } from '#evm/block/blob-gas.ts'
import { rulesAt } from '#evm/rules.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_blobBaseFee',
  summary: 'What blob gas costs in the next block, in wei; 0 before Cancun.',
  needs: ['chain'],
  params: {},
  result: QuantityText,
  run: ({ chain }) => {
    const next = nextHeader(chain.genesis, chain.head().header)
    return formatQuantity(blobBaseFee(rulesAt(chain.genesis.config, next), next.excessBlobGas))
  },
})
