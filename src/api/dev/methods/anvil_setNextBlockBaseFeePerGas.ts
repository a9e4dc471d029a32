import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { toolNames } from '#api/dev/tool-names.ts'
import { Word } from '#api/dev/word.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_setNextBlockBaseFeePerGas',
  aliases: toolNames('setNextBlockBaseFeePerGas'),
  summary: 'Sets the base fee of the next block in wei.',
  needs: ['dev'],
  params: { baseFee: new Param(Word, 'INVALID_PARAMS') },
  change: ({ dev }, { baseFee }) => dev.setNextBlock({ baseFeeWei: baseFee }),
})
