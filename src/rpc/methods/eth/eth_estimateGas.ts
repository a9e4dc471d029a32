import { estimateGas } from '#rpc/calls/estimate-gas.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { BlockNumber, PENDING } from '#rpc/schema/block-selector.ts'
import { CallObject } from '#rpc/schema/call-object.ts'
import { QuantityText } from '#rpc/schema/quantity.ts'
import { StateOverride } from '#rpc/schema/state-override.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineMethod({
  name: 'eth_estimateGas',
  summary: 'The gas with which a transaction succeeds, within the tolerance of the estimate.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'medium',
  params: {
    call: CallObject,
    block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS').default(PENDING),
    stateOverrides: StateOverride,
  },
  result: QuantityText,
  run: async (resources, params, context) => formatQuantity(await estimateGas(resources, params, context)),
})
