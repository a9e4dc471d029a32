import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { BUILDING_CHANGES } from '#rpc/schema/building/building-changes.ts'
import { parseWordLenient, wordParam } from '#rpc/schema/building/lenient-word.ts'

const ERROR = 'INVALID_EXTRA_DATA_PARAMS'

export default defineMethod({
  name: 'miner_setExtraData',
  summary: 'Sets the extra data of the blocks of this node, until it is stopped.',
  needs: ['building'],
  params: { extraData: wordParam(ERROR) },
  changes: BUILDING_CHANGES,
  result: boolean(),
  run: async ({ building }, { extraData }) => {
    await building.change({ extraData: parseWordLenient(extraData, ERROR) })
    return true
  },
})
