/**
 * Gas of the instructions that depend on their operands, for those that hot code is made of: the library has the same
 * as promises. The state tests keep the two in step.
 */
import type { Common } from '@ethereumjs/common'
import { EVMError } from '@ethereumjs/evm'
import type { RunState } from './interpreter.ts'
import { wordBytes } from './word-bytes.ts'

type GasOf = (runState: RunState, gas: bigint, common: Common) => bigint

const WORD = 32n
const COLD_SLOAD = 'coldsloadGas'
const WARM_READ = 'warmstoragereadGas'
const MCOPY_WORD_GAS = 3n

/** By opcode. */
export const SYNCHRONOUS_GAS: Readonly<Record<number, GasOf>> = {
  32: keccakGas,
  55: copyGas,
  57: copyGas,
  62: returnDataCopyGas,
  81: (runState, gas, common) => gas + memoryGas(runState, runState.stack.peek()[0]!, WORD, common),
  82: (runState, gas, common) => gas + memoryGas(runState, runState.stack.peek()[0]!, WORD, common),
  83: (runState, gas, common) => gas + memoryGas(runState, runState.stack.peek()[0]!, 1n, common),
  84: sloadGas,
  94: mcopyGas,
  160: logGas,
  161: logGas,
  162: logGas,
  163: logGas,
  164: logGas,
  243: outputGas,
  253: outputGas,
}

/** Growing memory costs 3 per word and a square part; what was paid for larger memory before counts. */
function memoryGas(runState: RunState, offset: bigint, length: bigint, common: Common): bigint {
  if (length === 0n) return 0n
  const words = wordsOf(offset + length)
  if (words <= runState.memoryWordCount) return 0n
  const cost = words * common.param('memoryGas') + (words * words) / common.param('quadCoefficientDivGas')
  const paid = runState.highestMemCost
  runState.memoryWordCount = words
  if (cost <= paid) return cost
  runState.highestMemCost = cost
  return cost - paid
}

function wordsOf(bytes: bigint): bigint {
  return (bytes + 31n) / WORD
}

function keccakGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [offset, length] = runState.stack.peek(2) as [bigint, bigint]
  return (
    gas + memoryGas(runState, offset, length, common) + common.param('keccak256WordGas') * wordsOf(length)
  )
}

function copyGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [offset, , length] = runState.stack.peek(3) as [bigint, bigint, bigint]
  return gas + memoryGas(runState, offset, length, common) + common.param('copyGas') * wordsOf(length)
}

function returnDataCopyGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [, from, length] = runState.stack.peek(3) as [bigint, bigint, bigint]
  if (from + length > runState.interpreter.getReturnDataSize()) {
    throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
  }
  return copyGas(runState, gas, common)
}

function mcopyGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [to, from, length] = runState.stack.peek(3) as [bigint, bigint, bigint]
  const read = memoryGas(runState, from, length, common)
  return gas + MCOPY_WORD_GAS * wordsOf(length) + read + memoryGas(runState, to, length, common)
}

function sloadGas(runState: RunState, gas: bigint, common: Common): bigint {
  if (!common.isActivatedEIP(2929)) return gas
  const { journal } = runState.interpreter
  const address = runState.interpreter.getAddress().bytes
  const slot = wordBytes(runState.stack.peek()[0]!)
  if (journal.isWarmedStorage(address, slot)) return gas + common.param(WARM_READ)
  journal.addWarmedStorage(address, slot)
  return gas + common.param(COLD_SLOAD)
}

function logGas(runState: RunState, gas: bigint, common: Common): bigint {
  if (runState.interpreter.isStatic()) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE)
  const [offset, length] = runState.stack.peek(2) as [bigint, bigint]
  const topics = BigInt(runState.opCode - 0xa0) * common.param('logTopicGas')
  return gas + memoryGas(runState, offset, length, common) + topics + length * common.param('logDataGas')
}

function outputGas(runState: RunState, gas: bigint, common: Common): bigint {
  const [offset, length] = runState.stack.peek(2) as [bigint, bigint]
  return gas + memoryGas(runState, offset, length, common)
}
