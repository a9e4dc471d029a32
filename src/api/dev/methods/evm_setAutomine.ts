import { boolean, null as nothing } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevMethod({
  name: 'evm_setAutomine',
  aliases: ['anvil_setAutomine'],
  summary: 'Sets whether every transaction gets a block at once. If not, transactions wait for evm_mine.',
  needs: ['dev'],
  params: { isOn: new Param(boolean(), 'INVALID_PARAMS') },
  result: nothing(),
  run: async ({ dev }, { isOn }) => {
    await dev.setAutomine(isOn)
    return null
  },
})
