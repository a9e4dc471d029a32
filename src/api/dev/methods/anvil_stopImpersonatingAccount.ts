import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Address } from '#api/schema/values.ts'

export default defineDevChange({
  name: 'anvil_stopImpersonatingAccount',
  aliases: toolNames('stopImpersonatingAccount'),
  summary: 'Ends the impersonation of an account.',
  needs: ['dev'],
  params: { address: Address },
  change: ({ dev }, { address }) => dev.setImpersonation(address, false),
})
