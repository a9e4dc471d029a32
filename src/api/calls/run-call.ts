/** Prepares and runs one call of a request, with Besu's defaults and refusals. */

import { resolveBlock } from '#api/resolve-block.ts'
import type { Resources } from '#api/resources.ts'
import type { StateOverrides } from '#api/schema/call-object.ts'
import type { BlockSelector } from '#api/schema/values.ts'
import { type CallSite, openCallSite } from '#chain/read/call-site.ts'
import type { ChainView, PinnedState } from '#chain/read/chain-view.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { ExecutionError } from '#evm/execution-error.ts'
import { HALT_REASONS } from '#evm/halt-reasons.ts'
import type { Outcome } from '#evm/outcome.ts'
import type { CallPolicy, CallRequest } from '#evm/simulate/call-request.ts'
import { type Simulation, simulateCall } from '#evm/simulate/call-sessions.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import { decodeRevertReason } from '#evm/simulate/revert-reason.ts'
import { type CallRefusal, callEnvironment, prepareCall } from '#evm/simulate/simulate-transaction.ts'
import { NO_WANTS } from '#evm/trace/events.ts'
import { requestOf } from '#evm/trace/shape.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import type { RunContext } from '#jsonrpc/method.ts'
import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Fault } from '#types/fault.ts'
import { formatData } from '#types/hex.ts'
import { type MaybePromise, settle, whenReady } from '#types/maybe-promise.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'

export interface CallRun extends Pick<Simulation, 'options' | 'trace'> {
  readonly site: CallSite
  readonly policy: CallPolicy
  /** Old address to new address. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address> | undefined
}

export type RanCall =
  | {
      readonly ok: true
      readonly transaction: UnsignedTransaction
      readonly sender: Address
      readonly outcome: Outcome
    }
  | { readonly ok: false; readonly refusal: CallRefusal }

export function runCall(
  { engine, limits }: Pick<Resources, 'engine' | 'limits'>,
  { site, policy, movedPrecompiles, options, trace }: CallRun,
  call: CallRequest,
  { cancel }: Pick<RunContext, 'cancel'>,
): MaybePromise<RanCall> {
  const { rules, hasBaseFee, state } = site
  const block = callEnvironment(site.block, policy)
  const gasLimit = cappedGas(limits.gasCap, call.gas ?? block.gasLimit)
  const prepared = prepareCall(call, { rules, block, hasBaseFee, state, policy, gasLimit })
  if (!prepared.ok) return prepared
  const { transaction, sender } = prepared
  const isPlain = (options ?? cancel ?? movedPrecompiles) === undefined
  const sessionOptions = isPlain ? undefined : { ...options, cancel, movedPrecompiles }
  const simulating = simulateCall(
    { engine, rules, block, state, policy, options: sessionOptions, trace },
    { transaction, sender, authorities: call.authorizations?.map(({ authority }) => authority) },
  )
  return whenReady(simulating, (outcome) => ({ ok: true, transaction, sender, outcome }))
}

/** The block in which a call is simulated; undefined if there is no such block. */
export function siteOf(chain: ChainView, selector: BlockSelector): MaybePromise<CallSite | undefined> {
  const known = resolveBlock(chain, selector)
  return known && openCallSite(chain, known)
}

/** Applies the overrides of a request. */
export function overrideSite(site: CallSite, overrides: StateOverrides | undefined): MaybePromise<CallSite> {
  if (overrides === undefined) return site
  return loadCrypto().then(({ keccak }) => {
    const state = new OverlayState(site.state, keccak)
    for (const [address, override] of overrides.accounts) state.override(address, override)
    return { ...site, state }
  })
}

export function cappedGas(cap: number, gas: bigint): bigint {
  return cap > 0 && gas > cap ? BigInt(cap) : gas
}

/** Returns or throws what `read` does. If the chain has left the state meanwhile, the request starts again. */
export function confirmed<Value>(
  pinned: Pick<PinnedState, 'confirm'>,
  read: () => MaybePromise<Value>,
): MaybePromise<Value> {
  return settle(
    read,
    (value) => {
      pinned.confirm()
      return value
    },
    (error) => {
      pinned.confirm()
      throw error
    },
  )
}

/** An outcome does not say which instruction was invalid; to find it, the call runs again. */
export async function explainFailure(
  resources: Pick<Resources, 'engine' | 'limits'>,
  run: CallRun,
  call: CallRequest,
  outcome: Outcome,
  context: Pick<RunContext, 'cancel'>,
): Promise<Fault<RpcErrorKind>> {
  if (outcome.error !== 'invalidOpcode') return failureFault(outcome)
  const last = new LastInstruction()
  await runCall(resources, { ...run, trace: last.request }, call, context)
  return failureFault(outcome, last.opcode)
}

/** Finds the instruction that ended a call with an error. */
class LastInstruction {
  /** Undefined if no instruction of the outermost call frame failed. */
  opcode: number | undefined
  readonly request = requestOf({
    wants: { ...NO_WANTS, steps: true },
    visitor: {
      step: ({ op, depth, isFault }) => {
        if (isFault && depth === 0) this.opcode = op
      },
    },
  })
}

/** Errors of refused transactions, signed or simulated. Calls meet fewer of them, because some rules do not apply. */
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

/** `opcode` is the unknown instruction that ended the call, if that is what ended it. */
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
