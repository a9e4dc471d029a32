/** Turns a requested call into a transaction for an engine, or says why it cannot run. */

import { type BlockEnvironment, NO_WAIVERS, type Waivers } from '#evm/engine.ts'
import { type Rules, transactionRulesOf } from '#evm/rules.ts'
import type { StateSource } from '#evm/state-lookup.ts'
import { type Address, addressToBytes, ZERO_ADDRESS } from '#types/address.ts'
import { MAX_UINT256 } from '#types/bytes.ts'
import { FIRST_FORKS, includesFork } from '#types/genesis/fork-schedule.ts'
import { formatQuantity } from '#types/hex.ts'
import { minGasLimit } from '#types/transaction/intrinsic-gas.ts'
import type { RefusalReason } from '#types/transaction/refusal.ts'
import type { TransactionType, UnsignedTransaction } from '#types/transaction/transaction.ts'
import {
  blobGas,
  effectiveGasPrice,
  GAS_PER_BLOB,
  maxCostWei,
  maxFeePerGas,
} from '#types/transaction/transaction-fees.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import { formatWei } from '#types/wei.ts'
import type { CallPolicy, CallRequest } from './call-request.ts'

export interface CallRefusal {
  readonly reason: RefusalReason
  /** Besu's words, which clients compare. */
  readonly detail: string
}

/** The place of a call, and the rules it must obey. */
export interface CallConditions {
  readonly rules: Rules
  /** Includes the policy's effect on fees (callEnvironment). */
  readonly block: BlockEnvironment
  readonly hasBaseFee: boolean
  readonly state: StateSource
  readonly policy: CallPolicy
  /** Default gas limit of a call, and its maximum. */
  readonly gasLimit: bigint
}

export type PreparedCall =
  | { readonly ok: true; readonly transaction: UnsignedTransaction; readonly sender: Address }
  | { readonly ok: false; readonly refusal: CallRefusal }

const NO_DATA = new Uint8Array(0)
const BLOB_HASH_VERSION = '0x01'
const TYPE_NAMES: Readonly<Record<TransactionType, string>> = {
  0: 'FRONTIER',
  1: 'ACCESS_LIST',
  2: 'EIP1559',
  3: 'BLOB',
  4: 'DELEGATE_CODE',
}

/** The fees that the engine sees: none if the policy makes the call free. */
export function callEnvironment(block: BlockEnvironment, policy: CallPolicy): BlockEnvironment {
  if (!policy.isFree) return block
  let free = freeBlocks.get(block)
  if (free === undefined) {
    free = { ...block, baseFeePerGas: 0n, blobBaseFee: 0n }
    freeBlocks.set(block, free)
  }
  return free
}

/** The same object for the same block, because sessions are found by it (call-sessions.ts). */
const freeBlocks = new WeakMap<BlockEnvironment, BlockEnvironment>()

/** prepareCall decides these rules in Besu's words, so engines do not check them again. */
export function waiversOf(policy: CallPolicy): Waivers {
  return {
    ...NO_WAIVERS,
    nonce: true,
    senderCode: true,
    gasLimit: true,
    baseFee: true,
    balance: policy.mayLackFunds,
  }
}

export function prepareCall(call: CallRequest, context: CallConditions): PreparedCall {
  const sender = call.from ?? ZERO_ADDRESS
  const account = context.state.account(addressToBytes(sender))
  const nonce = call.nonce ?? account?.nonce ?? 0n
  const type = typeOf(call, context)
  const formRefusal = refuseForm(type, call, context)
  if (formRefusal !== undefined) return { ok: false, refusal: formRefusal }
  const transaction = transactionOf(type, call, context, nonce)
  const refusal =
    refuseLists(transaction, context) ??
    refuseFees(transaction, context, sender) ??
    refuseGas(transaction, context) ??
    refuseSender(transaction, context.policy, sender, account ?? { nonce: 0n, balance: 0n })
  return refusal === undefined ? { ok: true, transaction, sender } : { ok: false, refusal }
}

function typeOf(call: CallRequest, { hasBaseFee }: CallConditions): TransactionType {
  if (call.blobVersionedHashes !== undefined) return 3
  if (call.authorizations !== undefined && call.authorizations.length > 0) return 4
  // A call without any price has the type of the block's fee market.
  const isFeeMarket = call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined
  if (hasBaseFee && (isFeeMarket || call.gasPrice === undefined)) return 2
  return call.accessList === undefined ? 0 : 1
}

function refuseForm(
  type: TransactionType,
  { to, chainId }: CallRequest,
  { rules }: CallConditions,
): CallRefusal | undefined {
  if (type !== 0 && chainId !== undefined && chainId !== rules.chainId) {
    const detail = `transaction was meant for chain id ${chainId} and not this chain id ${rules.chainId}`
    return { reason: 'WRONG_CHAIN_ID', detail }
  }
  if (!includesFork(rules.fork, FIRST_FORKS[type]!)) {
    const accepted = FIRST_FORKS.flatMap((fork, index) =>
      includesFork(rules.fork, fork) ? [TYPE_NAMES[index as TransactionType]] : [],
    )
    const detail = `Transaction type ${TYPE_NAMES[type]} is invalid, accepted transaction types are [${accepted.join(', ')}]`
    return { reason: 'INVALID_TRANSACTION_FORMAT', detail }
  }
  if (type >= 3 && to === undefined) {
    const what = type === 3 ? 'blob' : 'code delegation'
    const detail = `transaction ${what} transactions must have a to address`
    return { reason: 'INVALID_TRANSACTION_FORMAT', detail }
  }
  return undefined
}

function transactionOf(
  type: TransactionType,
  call: CallRequest,
  context: CallConditions,
  nonce: bigint,
): UnsignedTransaction {
  const { rules, gasLimit: cap } = context
  const gasLimit = call.gas !== undefined && call.gas < cap ? call.gas : cap
  const prices = pricesOf(call, context)
  const common = { nonce, gasLimit, value: call.value ?? 0n, data: call.data ?? NO_DATA }
  const chainId = call.chainId ?? rules.chainId
  const accessList = call.accessList ?? []
  const to = call.to ?? null
  if (type === 0) return { type, ...common, to, chainId: null, gasPrice: prices.gasPrice }
  if (type === 1) return { type, ...common, to, chainId, gasPrice: prices.gasPrice, accessList }
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = prices
  const feeMarket = { ...common, chainId, maxFeePerGas, maxPriorityFeePerGas, accessList }
  if (type === 2) return { type, ...feeMarket, to }
  const target = call.to!
  if (type === 4) return { type, ...feeMarket, to: target, authorizationList: call.authorizations! }
  const blobVersionedHashes = call.blobVersionedHashes!
  return { type, ...feeMarket, to: target, maxFeePerBlobGas, blobVersionedHashes }
}

interface Prices {
  readonly gasPrice: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerBlobGas: bigint
}

const FREE: Prices = { gasPrice: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerBlobGas: 0n }

function pricesOf(call: CallRequest, { policy, block }: CallConditions): Prices {
  if (policy.isFree) return FREE
  const { maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas } = call
  if (policy.keepsPrices) {
    return {
      gasPrice: call.gasPrice ?? 0n,
      maxFeePerGas: maxFeePerGas ?? 0n,
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n,
      maxFeePerBlobGas: maxFeePerBlobGas ?? 0n,
    }
  }
  const hasPrice = (maxFeePerGas ?? maxPriorityFeePerGas ?? call.gasPrice) !== undefined
  const gasPrice = hasPrice ? (call.gasPrice ?? 0n) : block.baseFeePerGas
  return {
    gasPrice,
    maxFeePerGas: maxFeePerGas ?? gasPrice,
    maxPriorityFeePerGas: maxPriorityFeePerGas ?? gasPrice,
    maxFeePerBlobGas: maxFeePerBlobGas ?? block.blobBaseFee,
  }
}

function refuseLists(tx: UnsignedTransaction, { rules, policy }: CallConditions): CallRefusal | undefined {
  const { maxBlobs = 0, maxInitcodeBytes = tx.data.length } = transactionRulesOf(rules)
  if (!policy.mayHaveFutureNonce && tx.nonce === MAX_NONCE) {
    return { reason: 'NONCE_OVERFLOW', detail: 'Nonce must be less than 2^64-1' }
  }
  if (tx.type === 3) {
    const count = tx.blobVersionedHashes.length
    if (count > maxBlobs) {
      const detail = `Blob transaction has too many blobs: ${count}`
      return { reason: 'TOTAL_BLOB_GAS_TOO_HIGH', detail }
    }
    const wrong = tx.blobVersionedHashes.find((hash) => !hash.startsWith(BLOB_HASH_VERSION))
    if (wrong !== undefined) {
      const version = Number.parseInt(wrong.slice(2, 4), 16)
      const detail = `transaction blobs commitment version is not supported. Expected 1, found ${version}`
      return { reason: 'INVALID_BLOBS', detail }
    }
  }
  if (tx.to === null && tx.data.length > maxInitcodeBytes) {
    const detail = `Initcode size of ${tx.data.length} exceeds maximum size of ${maxInitcodeBytes}`
    return { reason: 'INITCODE_TOO_LARGE', detail }
  }
  return undefined
}

function refuseFees(
  tx: UnsignedTransaction,
  { policy, block, hasBaseFee, rules }: CallConditions,
  sender: Address,
): CallRefusal | undefined {
  if (hasBaseFee) {
    const price = effectiveGasPrice(tx, block.baseFeePerGas)
    if (!policy.mayBeBelowBaseFee && price < block.baseFeePerGas) {
      const detail = 'gasPrice is less than the current BaseFee'
      return { reason: 'GAS_PRICE_BELOW_CURRENT_BASE_FEE', detail }
    }
    if ('maxFeePerGas' in tx && tx.maxPriorityFeePerGas > tx.maxFeePerGas) {
      const detail = 'max priority fee per gas cannot be greater than max fee per gas'
      return { reason: 'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS', detail }
    }
  }
  if (tx.type !== 3) return undefined
  const most = BigInt(rules.blobs?.max ?? 0) * GAS_PER_BLOB
  if (blobGas(tx) > most) {
    const detail = `total blob gas ${blobGas(tx)} exceeds max blob gas per block ${most}`
    return { reason: 'TOTAL_BLOB_GAS_TOO_HIGH', detail }
  }
  if (!policy.mayLackFunds && block.blobBaseFee > tx.maxFeePerBlobGas) {
    const fees = `blobGasFeeCap: ${formatWei(tx.maxFeePerBlobGas)}, blobBaseFee: ${formatWei(block.blobBaseFee)}`
    const detail = `tx max fee per blob gas less than block blob gas fee: address ${sender} ${fees}`
    return { reason: 'BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE', detail }
  }
  return undefined
}

function refuseGas(tx: UnsignedTransaction, { rules }: CallConditions): CallRefusal | undefined {
  const least = minGasLimit(tx, rules.fork)
  if (tx.gasLimit < least) {
    const detail = `intrinsic gas cost ${least} exceeds gas limit ${tx.gasLimit}`
    return { reason: 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT', detail }
  }
  if (tx.gasLimit * maxFeePerGas(tx) > MAX_UINT256) {
    const detail = 'Upfront gas cost cannot exceed 2^256 Wei'
    return { reason: 'UPFRONT_COST_EXCEEDS_UINT256', detail }
  }
  return undefined
}

function refuseSender(
  tx: UnsignedTransaction,
  policy: CallPolicy,
  sender: Address,
  account: { readonly nonce: bigint; readonly balance: bigint },
): CallRefusal | undefined {
  // The value must be owned even if the gas is free.
  const cost = policy.mayLackFunds ? tx.value : maxCostWei(tx)
  if (cost > account.balance) {
    const balance = formatQuantity(account.balance)
    const detail = `transaction up-front cost ${formatQuantity(cost)} exceeds transaction sender account balance ${balance} for sender ${sender}`
    return { reason: 'UPFRONT_COST_EXCEEDS_BALANCE', detail }
  }
  if (tx.nonce < account.nonce) {
    const detail = `transaction nonce ${tx.nonce} below sender account nonce ${account.nonce} for sender ${sender}`
    return { reason: 'NONCE_TOO_LOW', detail }
  }
  if (!policy.mayHaveFutureNonce && tx.nonce > account.nonce) {
    const detail = `transaction nonce ${tx.nonce} does not match sender account nonce ${account.nonce} for sender ${sender}`
    return { reason: 'NONCE_TOO_HIGH', detail }
  }
  return undefined
}
