import { bigint, int, literal, string, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { Param } from '#rpc/param.ts'
import { BUILDING_CHANGES } from '#rpc/schema/building/building-changes.ts'
import { MIN_GAS_LIMIT } from '#types/block/block-header.ts'

/** Of a signed number of 64 bits. */
const MAX_LONG = 2n ** 63n - 1n

const TargetGasLimit = new Param(
  union([
    int().transform(BigInt),
    string()
      .regex(/^-?\d+$/)
      .transform(BigInt),
  ])
    .pipe(
      bigint()
        .min(-MAX_LONG - 1n)
        .max(MAX_LONG),
    )
    .meta({ title: 'gas limit', description: 'a decimal number, as such or as text' }),
  'INVALID_TARGET_GAS_LIMIT_PARAMS',
)

export default defineMethod({
  name: 'miner_changeTargetGasLimit',
  summary: 'Sets the gas limit towards which the blocks of this node move, until it is stopped.',
  needs: ['building'],
  params: { targetGasLimit: TargetGasLimit },
  changes: BUILDING_CHANGES,
  result: literal('Success'),
  run: async ({ building }, { targetGasLimit }) => {
    // Besu's words for what no block may have.
    if (targetGasLimit < MIN_GAS_LIMIT) throw rpcFault('TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED')
    await building.change({ targetGasLimit })
    return 'Success' as const
  },
})
