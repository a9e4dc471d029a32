import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { QuantityText } from '#api/schema/values.ts'

export default defineDevMethod({
  name: 'evm_snapshot',
  aliases: ['anvil_snapshot'],
  summary: 'Returns the id of a snapshot of the chain, for evm_revert. It survives a restart.',
  needs: ['dev'],
  params: {},
  result: QuantityText,
  run: ({ dev }) => dev.snapshot(),
})
