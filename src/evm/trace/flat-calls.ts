/**
 * The flat call trace: one entry per call, creation or selfdestruct of a transaction, with its position in the tree.
 * Calls of precompiles and calls refused before they began have no entry and are not counted; the call of the
 * transaction itself always has one.
 */
import type { CallFrame } from '#evm/call-tree.ts'
import { isRefused } from '#evm/execution-error.ts'
import { HALT_REASONS } from '#evm/halt-reasons.ts'
import { precompilesOf } from '#evm/precompiles.ts'
import type { Rules } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import { minGasLimit } from '#types/transaction/intrinsic-gas.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'

const NOTHING = new Uint8Array(0)

export interface FlatCall {
  readonly frame: CallFrame
  /** The positions of its callers and its own position; empty for the transaction itself. */
  readonly traceAddress: readonly number[]
  readonly subtraces: number
  /** In Besu's words; undefined if it succeeded. */
  readonly error: string | undefined
}

export interface FlatOptions {
  readonly isPrecompile: (address: Address) => boolean
  /** The minimum gas of a transaction to an account without code: EIP-7623 prices call data. */
  readonly leastGasUsed: bigint
}

export function flatOptions(
  rules: Rules,
  transaction: UnsignedTransaction,
  frames: readonly CallFrame[],
): FlatOptions {
  const precompiles = precompilesOf(rules)
  const intrinsicGas = transaction.gasLimit - (frames[0]?.gas ?? 0n)
  const leastGasUsed = minGasLimit(transaction, rules.fork) - intrinsicGas
  return { isPrecompile: (address) => precompiles.has(address), leastGasUsed }
}

/** Frames are in the order of the calls. */
export function flatCalls(
  frames: readonly CallFrame[],
  { isPrecompile, leastGasUsed }: FlatOptions,
): FlatCall[] {
  const calls: MutableCall[] = []
  /** The last call at every depth; undefined if it has no entry. */
  const path: (MutableCall | undefined)[] = []
  for (const frame of frames) {
    const parent = frame.depth === 0 ? undefined : path[frame.depth - 1]
    path.length = frame.depth
    // A call without an entry makes no calls, so every frame has its parent.
    if (frame.depth > 0 && (parent === undefined || !hasEntry(frame, isPrecompile))) {
      path.push(undefined)
      continue
    }
    const traceAddress = parent === undefined ? [] : [...parent.traceAddress, parent.subtraces++]
    const call = {
      frame: shown(frame, { isPrecompile, leastGasUsed }),
      traceAddress,
      subtraces: 0,
      error: HALT_REASONS[frame.error],
    }
    calls.push(call)
    path.push(call)
  }
  return calls
}

/** If the transaction itself calls a precompile, the output comes from no RETURN. */
function shown(frame: CallFrame, { isPrecompile, leastGasUsed }: FlatOptions): CallFrame {
  if (frame.depth > 0) return frame
  if (frame.type === 'call' && isPrecompile(frame.to)) return { ...frame, output: NOTHING }
  return frame.gasUsed === 0n && leastGasUsed > 0n ? { ...frame, gasUsed: leastGasUsed } : frame
}

type MutableCall = { -readonly [Name in keyof FlatCall]: FlatCall[Name] }

function hasEntry(frame: CallFrame, isPrecompile: (address: Address) => boolean): boolean {
  if (isRefused(frame.error)) return false
  return frame.type === 'selfdestruct' || isCreation(frame) || !isPrecompile(frame.to)
}

export function isCreation({ type }: Pick<CallFrame, 'type'>): boolean {
  return type === 'create' || type === 'create2'
}
