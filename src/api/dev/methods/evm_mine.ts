import { literal, object, union } from 'zod'
import { defineDevMethod } from '#api/dev/define-dev-method.ts'
import { countOf, MAX_MINED_BLOCKS, requireBlocks } from '#api/dev/mined-blocks.ts'
import { CountWire } from '#api/schema/call-object.ts'
import { Param } from '#jsonrpc/method.ts'

/** Ganache takes an object, others the time of the block. */
const Wire = union([CountWire, object({ timestamp: CountWire.nullish(), blocks: CountWire.nullish() })]).meta(
  {
    description: `the Unix time of the block, or an object with timestamp and blocks, at most ${MAX_MINED_BLOCKS}`,
  },
)

export default defineDevMethod({
  name: 'evm_mine',
  summary: 'Produces blocks now, also without transactions.',
  needs: ['dev'],
  cost: 'heavy',
  params: { request: new Param(Wire, 'INVALID_PARAMS').optional() },
  result: literal('0x0'),
  run: async ({ dev }, { request }) => {
    const { timestamp, blocks } = typeof request === 'object' ? request : { timestamp: request, blocks: null }
    await dev.mine({
      blocks: requireBlocks(blocks ?? 1n),
      intervalSeconds: 1,
      timestamp: timestamp == null ? undefined : countOf(timestamp),
    })
    return '0x0' as const
  },
})
