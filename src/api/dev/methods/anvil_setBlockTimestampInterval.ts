import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { countOf } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

export default defineDevChange({
  name: 'anvil_setBlockTimestampInterval',
  aliases: ['ganache_setBlockTimestampInterval'],
  summary: 'Sets the seconds between the times of blocks.',
  needs: ['dev'],
  params: { seconds: new Param(CountWire, 'INVALID_PARAMS') },
  change: ({ dev }, { seconds }) => dev.setTimestampInterval(countOf(seconds)),
})
