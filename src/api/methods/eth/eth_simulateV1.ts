import { array, looseObject, object, string } from 'zod'
import { haltReason } from '#api/calls/run-call.ts'
import { type SimulatedBlock, simulateBlocks } from '#api/calls/simulate-blocks.ts'
import { simulatedSize } from '#api/calls/simulated-header.ts'
import type { NumberedLog } from '#api/calls/transfer-logs.ts'
import { defineMethod } from '#api/define-method.ts'
import { presentParts, presentTransaction, transactionBlock } from '#api/present/block.ts'
import { presentLog } from '#api/present/log-text.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import { BlockResult } from '#api/schema/results.ts'
import { Simulation } from '#api/schema/simulation.ts'
import { Block, DataText, QuantityText } from '#api/schema/values.ts'
import type { Outcome } from '#evm/outcome.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import { rpcError, rpcFault } from '#jsonrpc/errors.ts'
import { formatData, formatQuantity } from '#types/hex.ts'

const CallResult = object({
  error: looseObject({}).optional(),
  gasUsed: QuantityText,
  logs: array(looseObject({})),
  maxUsedGas: QuantityText,
  returnData: DataText,
  status: string().regex(/^0x[01]$/),
})

export default defineMethod({
  name: 'eth_simulateV1',
  summary: 'Simulates blocks of calls on top of a block, with state and block overrides.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { simulation: Simulation, block: Block.first() },
  result: array(BlockResult.extend({ calls: array(CallResult), trieLog: DataText.optional() })),
  run: async (resources, { simulation, block }, context) => {
    const base = resolveBlock(resources.chain, block)
    if (base === undefined) throw rpcFault('BLOCK_NOT_FOUND')
    const simulated = await simulateBlocks(resources, base, simulation, context)
    return simulated.map((one) => presentSimulatedBlock(one, simulation.returnsFullTransactions))
  },
})

/** The code of calls that failed without a revert. */
const HALTED = -32015

function presentSimulatedBlock(simulated: SimulatedBlock, isFull: boolean) {
  const { hash, header, block, calls } = simulated
  const place = transactionBlock(header, hash)
  const transactions = isFull
    ? calls.map(({ transaction, sender }, index) => presentTransaction(place, index, transaction, sender))
    : calls.map(({ transaction }) => transaction.hash)
  const parts = presentParts({ hash, header }, block, simulatedSize(block), undefined, transactions)
  const trieLog = simulated.trieLog && formatData(simulated.trieLog)
  return inAlphabet({ ...parts, calls: presentCalls(simulated), trieLog })
}

function presentCalls({ hash, header, calls, execution }: SimulatedBlock) {
  const block = { number: header.number, hash, timestamp: header.timestamp }
  let before = 0
  return calls.map(({ transaction, logs, logCount }, transactionIndex) => {
    const outcome = execution.outcomes[transactionIndex]!
    const start = before
    before += logCount
    const present = ({ log, index }: NumberedLog) =>
      presentLog({ block, transactionHash: transaction.hash, transactionIndex, index: start + index, log })
    return {
      error: errorOf(outcome),
      gasUsed: formatQuantity(outcome.gasUsed),
      logs: logs.map(present),
      maxUsedGas: formatQuantity(outcome.gasUsed + outcome.gasRefunded),
      // The error has the data of a revert.
      returnData: outcome.isSuccess ? formatData(outcome.output) : '0x',
      status: outcome.isSuccess ? '0x1' : '0x0',
    }
  })
}

function errorOf({ isSuccess, error, output }: Outcome) {
  if (isSuccess) return undefined
  if (error !== 'reverted') return { code: HALTED, message: haltReason(error) }
  const reason = decodeRevertReason(output)
  const { code, message } = rpcError('REVERT_ERROR', reason === undefined ? {} : { reason })
  return { code, message, data: formatData(output) }
}

function inAlphabet<Members extends object>(members: Members): Members {
  const sorted = Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted) as Members
}
