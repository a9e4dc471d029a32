import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { AmountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'
import { MIN_GAS_LIMIT } from '#types/block/block-header.ts'

/** The largest number that clients read exactly. */
const MAX_GAS_LIMIT = BigInt(Number.MAX_SAFE_INTEGER)
const GasLimit = AmountWire.refine((gas) => gas >= MIN_GAS_LIMIT && gas <= MAX_GAS_LIMIT)

export default defineDevChange({
  name: 'evm_setBlockGasLimit',
  aliases: ['anvil_setBlockGasLimit'],
  summary: 'Sets the gas limit of later blocks.',
  needs: ['dev'],
  params: { gasLimit: new Param(GasLimit, 'INVALID_PARAMS') },
  change: ({ dev }, { gasLimit }) => dev.setNextBlock({ gasLimit }),
})
