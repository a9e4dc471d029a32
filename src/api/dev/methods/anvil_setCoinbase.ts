import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Address } from '#api/schema/values.ts'

export default defineDevChange({
  name: 'anvil_setCoinbase',
  aliases: toolNames('setCoinbase'),
  summary: 'Sets the coinbase of later blocks.',
  needs: ['dev'],
  params: { address: Address },
  change: ({ dev }, { address }) => dev.setCoinbase(address),
})
