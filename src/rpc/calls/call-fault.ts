/** The errors that clients get for a call that was refused or failed. */
import type { ExecutionError } from '#evm/execution-error.ts'
import { HALT_REASONS } from '#evm/halt-reasons.ts'
import type { Outcome } from '#evm/outcome.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import type { CallRefusal } from '#evm/simulate/simulate-transaction.ts'
import { type RpcErrorKind, rpcFault } from '#rpc/errors.ts'
import { assert } from '#types/assert.ts'
import type { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'

/** Of every transaction that is refused, signed or simulated. A call meets fewer of them: some rules it need not keep. */
export const REFUSALS: Readonly<Record<RefusalReason, RpcErrorKind>> = {
  BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE: 'BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE',
  EMPTY_CODE_DELEGATION: 'INVALID_TRANSACTION_PARAMS',
  EXCEEDS_BLOCK_GAS_LIMIT: 'EXCEEDS_BLOCK_GAS_LIMIT',
  EXCEEDS_TRANSACTION_GAS_LIMIT: 'EXCEEDS_TRANSACTION_GAS_LIMIT',
  GAS_PRICE_BELOW_CURRENT_BASE_FEE: 'GAS_PRICE_BELOW_CURRENT_BASE_FEE',
  INITCODE_TOO_LARGE: 'INVALID_TRANSACTION_PARAMS',
  INTRINSIC_GAS_EXCEEDS_GAS_LIMIT: 'INTRINSIC_GAS_EXCEEDS_LIMIT',
  INVALID_BLOBS: 'INVALID_BLOBS',
  INVALID_SIGNATURE: 'INVALID_TRANSACTION_SIGNATURE',
  INVALID_TRANSACTION_FORMAT: 'INVALID_TRANSACTION_TYPE',
  MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS: 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
  NONCE_OVERFLOW: 'INVALID_NONCE_PARAMS',
  NONCE_TOO_HIGH: 'NONCE_TOO_HIGH',
  NONCE_TOO_LOW: 'NONCE_TOO_LOW',
  REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED: 'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED',
  SENDER_HAS_CODE: 'TX_SENDER_NOT_AUTHORIZED',
  TOTAL_BLOB_GAS_TOO_HIGH: 'TOTAL_BLOB_GAS_TOO_HIGH',
  TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS: 'TOTAL_BLOB_GAS_TOO_HIGH',
  TX_TOO_LARGE_FOR_REMAINING_GAS: 'EXCEEDS_BLOCK_GAS_LIMIT',
  UPFRONT_COST_EXCEEDS_BALANCE: 'TRANSACTION_UPFRONT_COST_EXCEEDS_BALANCE',
  UPFRONT_COST_EXCEEDS_UINT256: 'INVALID_TRANSACTION_PARAMS',
  WRONG_CHAIN_ID: 'WRONG_CHAIN_ID',
}

export function refusalFault({ reason, detail }: CallRefusal): Fault<RpcErrorKind> {
  return rpcFault(REFUSALS[reason], { reason: detail })
}

/** `opcode`: the one that no fork in force knows, where that is what ended the call. */
export function failureFault({ error, output }: Outcome, opcode?: number): Fault<RpcErrorKind> {
  if (error === 'reverted') {
    const reason = decodeRevertReason(output)
    return rpcFault('REVERT_ERROR', { data: formatData(output), ...(reason === undefined ? {} : { reason }) })
  }
  return rpcFault('EXECUTION_HALTED', { reason: haltReason(error, opcode) })
}

export function haltReason(error: ExecutionError, opcode?: number): string {
  if (error === 'invalidOpcode' && opcode !== undefined) {
    return `Invalid opcode: 0x${opcode.toString(16).padStart(2, '0')}`
  }
  const reason = HALT_REASONS[error]
  assert(reason !== undefined, 'A call that halted has a reason.')
  return reason
}
