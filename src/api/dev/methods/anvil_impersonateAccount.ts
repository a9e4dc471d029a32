import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Address } from '#api/schema/values.ts'

export default defineDevChange({
  name: 'anvil_impersonateAccount',
  aliases: toolNames('impersonateAccount'),
  summary: 'Lets eth_sendTransaction send from an account without its key, also from a contract.',
  needs: ['dev'],
  params: { address: Address },
  change: ({ dev }, { address }) => dev.setImpersonation(address, true),
})
