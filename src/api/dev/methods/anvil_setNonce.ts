import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { NonceWire } from '#api/dev/word.ts'
import { Address } from '#api/schema/values.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_setNonce',
  aliases: [...toolNames('setNonce'), 'evm_setAccountNonce'],
  summary: 'Sets the nonce of an account.',
  needs: ['dev'],
  params: { address: Address, nonce: new Param(NonceWire, 'INVALID_PARAMS') },
  change: ({ dev }, { address, nonce }) => dev.edit([{ address, nonce }]),
})
