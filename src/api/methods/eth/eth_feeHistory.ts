import { array, number, object } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { BlockCount, BlockNumber, QuantityText } from '#api/schema/values.ts'
import { feeHistory } from '#chain/read/fee-history.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import { formatQuantity } from '#types/hex.ts'

const MAX_BLOCKS = 1_024
/** As in Besu, the answer has no rewards for a longer list. */
const MAX_PERCENTILES = 100
const MAX_LIST = 10_000

const Percentiles = new Param(array(number()).max(MAX_LIST), 'INVALID_REWARD_PERCENTILES_PARAMS')

const FeeHistoryResult = object({
  oldestBlock: QuantityText,
  baseFeePerGas: array(QuantityText),
  baseFeePerBlobGas: array(QuantityText),
  gasUsedRatio: array(number()),
  blobGasUsedRatio: array(number()),
  reward: array(array(QuantityText)).optional(),
}).meta({ title: 'fee history' })

/** Needs 'engine' so that no other request waits: rewards come from the receipts of up to a thousand blocks. */
export default defineMethod({
  name: 'eth_feeHistory',
  summary: 'Base fees, gas used ratios and priority fee percentiles of up to 1,024 blocks.',
  needs: ['chain', 'engine'],
  cost: 'medium',
  params: { count: BlockCount, newest: BlockNumber, percentiles: Percentiles.optional() },
  result: FeeHistoryResult,
  run: ({ chain }, { count, newest, percentiles }) => {
    if (count < 1 || count > MAX_BLOCKS) throw rpcFault('INVALID_BLOCK_COUNT_PARAMS')
    const block = resolveBlock(chain, newest)
    if (block === undefined) throw rpcFault('INVALID_BLOCK_NUMBER_PARAMS')
    const asked = percentiles !== undefined && percentiles.length <= MAX_PERCENTILES ? percentiles : undefined
    const history = feeHistory(chain, block, count, asked)
    return {
      oldestBlock: formatQuantity(history.oldest),
      baseFeePerGas: history.baseFees.map(formatQuantity),
      baseFeePerBlobGas: history.blobBaseFees.map(formatQuantity),
      gasUsedRatio: history.gasUsedRatios,
      blobGasUsedRatio: history.blobGasUsedRatios,
      reward: history.rewards?.map((tips) => tips.map(formatQuantity)),
    }
  },
})
