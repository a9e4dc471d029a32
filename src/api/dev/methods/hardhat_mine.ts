import { boolean } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { countOf, requireBlocks } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

const Count = new Param(CountWire, 'INVALID_PARAMS')

export default defineDevMethod({
  name: 'hardhat_mine',
  aliases: ['anvil_mine'],
  summary: 'Produces a number of blocks now, a number of seconds apart.',
  needs: ['dev'],
  cost: 'heavy',
  params: { blocks: Count.default(1n), intervalSeconds: Count.default(1n) },
  result: boolean(),
  run: async ({ dev }, { blocks, intervalSeconds }) => {
    const interval = countOf(intervalSeconds)
    await dev.mine({ blocks: requireBlocks(blocks), intervalSeconds: interval, timestamp: undefined })
    return true
  },
})
