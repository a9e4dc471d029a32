/** Decides whether a well-formed transaction can be the next one of a block, before its execution. */
import type { Refusal, RefusalReason } from '#types/transaction/refusal.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import { blobGas, maxFeePerGas } from '#types/transaction/transaction-fees.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import type { BlockEnvironment, Waivers } from './engine.ts'

export interface TransactionContext {
  readonly block: BlockEnvironment
  readonly waivers: Waivers
  /** After the session's cap. */
  readonly gasLimit: bigint
  /** Minimum gas limit that pays for the transaction itself. */
  readonly minGasLimit: bigint
  readonly gasLeftInBlock: bigint
  readonly blobGasLeftInBlock: bigint
  readonly sender: SenderState
}

export interface SenderState {
  readonly nonce: bigint
  readonly balance: bigint
  /** Code other than an EIP-7702 delegation. */
  readonly hasCode: boolean
}

/** Returns undefined if the transaction may be executed. */
export function refuseTransaction(tx: UnsignedTransaction, context: TransactionContext): Refusal | undefined {
  return refuseGas(tx, context) ?? refuseFees(tx, context) ?? refuseSender(tx, context)
}

/** The funds that the sender must own: gas at the highest price it allows, blobs, and the value. */
export function upfrontCostWei(tx: UnsignedTransaction, gasLimit: bigint): bigint {
  const blobs = tx.type === 3 ? blobGas(tx) * tx.maxFeePerBlobGas : 0n
  return gasLimit * maxFeePerGas(tx) + blobs + tx.value
}

function refuseGas(tx: UnsignedTransaction, context: TransactionContext): Refusal | undefined {
  const { gasLimit, minGasLimit, gasLeftInBlock } = context
  if (gasLimit < minGasLimit) {
    const sentence = `The transaction costs at least ${minGasLimit} gas and allows ${gasLimit}.`
    return refuse('INTRINSIC_GAS_EXCEEDS_GAS_LIMIT', sentence)
  }
  if (gasLimit > gasLeftInBlock && !context.waivers.gasLimit) {
    const sentence = `The transaction allows ${gasLimit} gas, and the block has ${gasLeftInBlock} left.`
    const isEverTooLarge = gasLimit > context.block.gasLimit
    return refuse(isEverTooLarge ? 'EXCEEDS_BLOCK_GAS_LIMIT' : 'TX_TOO_LARGE_FOR_REMAINING_GAS', sentence)
  }
  if (blobGas(tx) > context.blobGasLeftInBlock) {
    const sentence = `The transaction uses ${blobGas(tx)} blob gas, and the block has ${context.blobGasLeftInBlock} left.`
    return refuse('TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS', sentence)
  }
  return undefined
}

function refuseFees(tx: UnsignedTransaction, { block, waivers }: TransactionContext): Refusal | undefined {
  if (waivers.baseFee) return undefined
  const fee = maxFeePerGas(tx)
  if (fee < block.baseFeePerGas) {
    const sentence = `The transaction pays at most ${fee} wei per gas, and the base fee is ${block.baseFeePerGas}.`
    return refuse('GAS_PRICE_BELOW_CURRENT_BASE_FEE', sentence)
  }
  if (tx.type === 3 && tx.maxFeePerBlobGas < block.blobBaseFee) {
    const sentence = `The transaction pays at most ${tx.maxFeePerBlobGas} wei per blob gas, which costs ${block.blobBaseFee}.`
    return refuse('BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE', sentence)
  }
  return undefined
}

function refuseSender(tx: UnsignedTransaction, context: TransactionContext): Refusal | undefined {
  const { sender, waivers } = context
  if (!waivers.nonce) {
    const sentence = `The transaction has nonce ${tx.nonce}, and its sender is at ${sender.nonce}.`
    if (tx.nonce < sender.nonce) return refuse('NONCE_TOO_LOW', sentence)
    if (tx.nonce > sender.nonce) return refuse('NONCE_TOO_HIGH', sentence)
    if (tx.nonce === MAX_NONCE)
      return refuse('NONCE_OVERFLOW', 'The nonce of the sender cannot rise any more.')
  }
  if (sender.hasCode && !waivers.senderCode) {
    return refuse('SENDER_HAS_CODE', 'The sender has code, and a contract cannot sign.')
  }
  const cost = upfrontCostWei(tx, context.gasLimit)
  if (sender.balance < cost && !waivers.balance) {
    return refuse(
      'UPFRONT_COST_EXCEEDS_BALANCE',
      `The sender has ${sender.balance} wei and needs up to ${cost}.`,
    )
  }
  return undefined
}

function refuse(reason: RefusalReason, sentence: string): Refusal {
  return { reason, sentence }
}
