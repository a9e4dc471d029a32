/** A block of eth_simulateV1 on the wire. Members are in the order of the alphabet, as in Besu. */
import type { Outcome } from '#evm/outcome.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import { haltReason } from '#rpc/calls/call-fault.ts'
import { simulatedSize } from '#rpc/calls/encode-simulated.ts'
import type { SimulatedBlock } from '#rpc/calls/simulate-blocks.ts'
import type { NumberedLog } from '#rpc/calls/transfer-logs.ts'
import { rpcError } from '#rpc/errors.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { presentParts } from './block.ts'
import { presentLog } from './log.ts'
import { presentTransaction, transactionBlock } from './transaction.ts'

/** The code of calls that were not reverted but failed. */
const HALTED = -32015

export function presentSimulatedBlock(simulated: SimulatedBlock, isFull: boolean) {
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
      // What a revert returned stands with the error.
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
