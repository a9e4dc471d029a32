import { boolean } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { AmountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevMethod({
  name: 'evm_revert',
  aliases: ['anvil_revert'],
  summary: 'Rewinds the chain to a snapshot. False if its block is not on the chain.',
  needs: ['dev'],
  cost: 'heavy',
  params: { snapshot: new Param(AmountWire, 'INVALID_PARAMS') },
  result: boolean(),
  run: ({ dev }, { snapshot }) => dev.revert(snapshot),
})
