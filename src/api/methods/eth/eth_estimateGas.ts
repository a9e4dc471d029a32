import { briefKind } from '#api/calls/brief-kind.ts'
import { ESTIMATE_PARAMS, estimateGas } from '#api/calls/estimate.ts'
import { defineMethod } from '#api/define-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_estimateGas',
  summary: 'The gas that a transaction needs to succeed, within the estimate tolerance.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'medium',
  params: ESTIMATE_PARAMS,
  briefKind: (params) => {
    const kind = briefKind(params)
    return kind && `estimate ${kind}`
  },
  result: QuantityText,
  run: async (resources, params, context) => formatQuantity(await estimateGas(resources, params, context)),
})
