import { boolean } from 'zod'
import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_autoImpersonateAccount',
  summary: 'Sets whether eth_sendTransaction sends from any account.',
  needs: ['dev'],
  params: { isOn: new Param(boolean(), 'INVALID_PARAMS') },
  change: ({ dev }, { isOn }) => dev.setImpersonation(undefined, isOn),
})
