import { number } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { countOf } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevMethod({
  name: 'evm_increaseTime',
  aliases: ['anvil_increaseTime'],
  summary: 'Adds seconds to the time of later blocks, and returns how far they are ahead of the clock.',
  needs: ['dev'],
  params: { seconds: new Param(CountWire, 'INVALID_PARAMS') },
  result: number(),
  run: ({ dev }, { seconds }) => dev.increaseTime(countOf(seconds)),
})
