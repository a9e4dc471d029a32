import { nextHeader } from '#chain/read/call-site.ts'
import { percentileOf } from '#chain/read/fee-samples.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { atLeast, atMost } from '#rpc/fee-bounds.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

/** Needs 'engine' to run where nobody waits: the first question decodes a hundred blocks. */
export default defineMethod({
  name: 'eth_gasPrice',
  summary: 'A gas price that is usual in recent blocks and sufficient for the next one.',
  needs: ['chain', 'engine', 'limits', 'building'],
  params: {},
  result: QuantityText,
  resolve: ({ building }) => building.settings(),
  run: ({ chain, limits: { gasPrice: rule } }, _, { resolved: { minGasPriceWei } }) => {
    const head = chain.head()
    const baseFee = nextHeader(chain.genesis, head.header).baseFeePerGas ?? 0n
    const prices = [...chain.fees.upTo(head, rule.blocks)].flatMap(({ gasPrices }) => gasPrices)
    const usual = atMost(percentileOf(prices, rule.percentile) ?? 0n, rule.maxWei)
    return formatQuantity(atLeast(usual, atLeast(baseFee, minGasPriceWei)))
  },
})
