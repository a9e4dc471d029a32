import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { QuantityText } from '#api/schema/values.ts'
import { formatQuantity } from '#types/hex.ts'

export default defineDevMethod({
  name: 'evm_snapshot',
  aliases: ['anvil_snapshot'],
  summary: 'Returns the id of a snapshot of blocks and edits, for evm_revert. It survives a restart.',
  needs: ['dev'],
  params: {},
  result: QuantityText,
  run: async ({ dev }) => formatQuantity(await dev.snapshot()),
})
