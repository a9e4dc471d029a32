import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { Word, wordText } from '#api/dev/word.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'hardhat_setPrevRandao',
  aliases: ['anvil_setPrevRandao'],
  summary: 'Sets PREVRANDAO of the next block.',
  needs: ['dev'],
  params: { value: new Param(Word, 'INVALID_PARAMS') },
  change: ({ dev }, { value }) => dev.setNextBlock({ mixHash: wordText(value) }),
})
