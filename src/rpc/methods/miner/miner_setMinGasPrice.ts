import { boolean } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { BUILDING_CHANGES } from '#rpc/schema/building/building-changes.ts'
import { parseWordLenient, wordParam } from '#rpc/schema/building/lenient-word.ts'
import { bytesToBigint } from '#types/bytes.ts'

const ERROR = 'INVALID_MIN_GAS_PRICE_PARAMS'

export default defineMethod({
  name: 'miner_setMinGasPrice',
  summary: 'Sets the lowest gas price, in wei, of transactions that this node chooses, until it is stopped.',
  needs: ['building'],
  params: { minGasPrice: wordParam(ERROR) },
  changes: BUILDING_CHANGES,
  result: boolean(),
  run: async ({ building }, { minGasPrice }) => {
    const word = parseWordLenient(minGasPrice, ERROR, { tellsMissing: false })
    await building.change({ minGasPriceWei: bytesToBigint(word) })
    return true
  },
})
