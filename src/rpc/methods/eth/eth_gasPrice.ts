import { nextHeader } from '#chain/read/call-site.ts'
import { percentileOf } from '#chain/read/fee-samples.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { atLeast, atMost, MIN_GAS_PRICE_WEI } from '#rpc/least-fees.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { formatQuantity } from '#types/hex.ts'

/** Needs 'engine' to run where nobody waits: the first question decodes a hundred blocks. */
export default defineMethod({
  name: 'eth_gasPrice',
  summary: 'A gas price that is usual in recent blocks and sufficient for the next one.',
  needs: ['chain', 'engine', 'limits'],
  params: {},
  result: QuantityText,
  run: ({ chain, limits: { gasPrice: rule } }) => {
    const head = chain.head()
    const baseFee = nextHeader(chain.genesis, head.header).baseFeePerGas ?? 0n
    const prices = [...chain.fees.upTo(head, rule.blocks)].flatMap(({ gasPrices }) => gasPrices)
    const usual = atMost(percentileOf(prices, rule.percentile) ?? 0n, rule.maxWei)
    return formatQuantity(atLeast(usual, atLeast(baseFee, MIN_GAS_PRICE_WEI)))
  },
})
