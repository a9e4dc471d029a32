import { defineDevChange } from '#api/dev/define-dev-method.ts'
import { countOf } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

/** viem multiplies in its mode hardhat. */
const MS = 1_000

export default defineDevChange({
  name: 'hardhat_setBlockTimestampInterval',
  summary: 'Sets the milliseconds between the times of blocks, rounded up to seconds.',
  needs: ['dev'],
  params: { milliseconds: new Param(CountWire, 'INVALID_PARAMS') },
  change: ({ dev }, { milliseconds }) => dev.setTimestampInterval(Math.ceil(countOf(milliseconds) / MS)),
})
