import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { nextHeader } from '#chain/read/call-site.ts'
import { blobBaseFee } from '#evm/block/blob-gas.ts'
import { rulesAt } from '#evm/rules.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_blobBaseFee',
  summary: 'The blob base fee of the next block in wei; 0 before Cancun.',
  needs: ['chain'],
  params: {},
  result: QuantityText,
  run: ({ chain }) => {
    const next = nextHeader(chain.genesis, chain.head().header)
    return formatQuantity(blobBaseFee(rulesAt(chain.genesis.config, next), next.excessBlobGas))
  },
})
