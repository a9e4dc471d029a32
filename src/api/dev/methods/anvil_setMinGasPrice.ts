import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Word } from '#api/dev/word.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_setMinGasPrice',
  aliases: toolNames('setMinGasPrice'),
  summary: 'Sets the lowest gas price of included transactions in wei.',
  needs: ['dev'],
  params: { price: new Param(Word, 'INVALID_PARAMS') },
  change: ({ dev }, { price }) => dev.setMinGasPrice(price),
})
