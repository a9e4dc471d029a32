import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { BUILDING_CHANGES } from '#rpc/schema/building/building-changes.ts'
import { parseWordLenient, wordParam } from '#rpc/schema/building/lenient-word.ts'
import { bytesToBigint } from '#types/bytes.ts'

const ERROR = 'INVALID_MIN_PRIORITY_FEE_PARAMS'

export default defineMethod({
  name: 'miner_setMinPriorityFee',
  summary:
    'Sets the lowest priority fee per gas, in wei, of transactions that this node chooses, until it is stopped.',
  needs: ['building'],
  params: { minPriorityFee: wordParam(ERROR) },
  changes: BUILDING_CHANGES,
  result: boolean(),
  run: async ({ building }, { minPriorityFee }) => {
    await building.change({ minPriorityFeeWei: bytesToBigint(parseWordLenient(minPriorityFee, ERROR)) })
    return true
  },
})
