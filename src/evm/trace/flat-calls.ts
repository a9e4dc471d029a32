/**
 * The flat call trace: one entry per call, creation or selfdestruct of a transaction, with its place in the tree.
 * Calls of precompiles and calls that were refused before they began have no entry and are counted nowhere; the call of
 * the transaction itself always has one.
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
  /** The positions of its callers and its own among those its caller made; empty for the transaction itself. */
  readonly traceAddress: readonly number[]
  readonly subtraces: number
  /** In Besu's words; undefined: it succeeded. */
  readonly error: string | undefined
}

export interface FlatOptions {
  readonly isPrecompile: (address: Address) => boolean
  /** What a transaction to an account without code counts for: EIP-7623 asks a price for call data. */
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

/** Of frames in the order of the calls. */
export function flatCalls(
  frames: readonly CallFrame[],
  { isPrecompile, leastGasUsed }: FlatOptions,
): FlatCall[] {
  const calls: MutableCall[] = []
  /** The last call of every depth on the way to the present one; undefined: it has no entry. */
  const path: (MutableCall | undefined)[] = []
  for (const frame of frames) {
    const parent = frame.depth === 0 ? undefined : path[frame.depth - 1]
    path.length = frame.depth
    // What has no entry calls nothing, so that no frame hangs in the air.
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

/** What a transaction gets from a precompile that it calls itself was sent by no RETURN. */
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
