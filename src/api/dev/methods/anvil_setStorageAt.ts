import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Word, wordText } from '#api/dev/word.ts'
import { Address } from '#api/schema/values.ts'
import { Param } from '#jsonrpc/method.ts'

const WordParam = new Param(Word, 'INVALID_PARAMS')

export default defineDevChange({
  name: 'anvil_setStorageAt',
  aliases: [...toolNames('setStorageAt'), 'evm_setAccountStorageAt'],
  summary: 'Sets a storage slot of an account.',
  needs: ['dev'],
  params: { address: Address, slot: WordParam, value: WordParam },
  change: ({ dev }, { address, slot, value }) =>
    dev.edit([{ address, stateDiff: new Map([[wordText(slot), wordText(value)]]) }]),
})
