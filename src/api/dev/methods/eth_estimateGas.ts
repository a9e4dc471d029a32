import { ESTIMATE_PARAMS, estimateGas } from '#api/calls/estimate.ts'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import eth_estimateGas from '#api/methods/eth/eth_estimateGas.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

const { name, cost, briefKind } = eth_estimateGas

/** The development chain knows the time and PREVRANDAO of its next block, and a contract may depend on them. */
export default defineDevMethod({
  name,
  summary: 'The gas that a transaction needs to succeed in the next block, whose time requests may have set.',
  needs: ['chain', 'engine', 'limits', 'callLog', 'dev'],
  cost,
  params: ESTIMATE_PARAMS,
  ...(briefKind && { briefKind }),
  result: QuantityText,
  resolve: ({ dev }) => dev.nextBlock(),
  run: async (resources, params, context) => {
    const { callLog } = resources
    return formatQuantity(
      await estimateGas(resources, { ...params, next: context.resolved, callLog }, context),
    )
  },
})
