import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Word } from '#api/dev/word.ts'
import { Address } from '#api/schema/values.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_setBalance',
  aliases: [...toolNames('setBalance'), 'evm_setAccountBalance'],
  summary: 'Sets the balance of an account in wei.',
  needs: ['dev'],
  params: { address: Address, balance: new Param(Word, 'INVALID_PARAMS') },
  change: ({ dev }, { address, balance }) => dev.edit([{ address, balance }]),
})
