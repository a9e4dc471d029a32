/** Decodes and validates untrusted bytes, on the thread that received them. */
import { nextHeader } from '#chain/read/call-site.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Crypto } from '#evm/crypto.ts'
import { rulesAt, transactionRulesOf } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Keccak } from '#types/keccak.ts'
import { decodePooledTransaction } from '#types/transaction/blob-sidecar.ts'
import { isSignatureInRange } from '#types/transaction/signature.ts'
import { MAX_TRANSACTION_BYTES, type Transaction } from '#types/transaction/transaction.ts'
import { maxCostWei, maxFeePerGas, maxPriorityFeePerGas } from '#types/transaction/transaction-fees.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { type TransactionRules, validateTransaction } from '#types/transaction/transaction-validate.ts'
import { type Rejection, reject, type SubmittedTransaction } from './submitted-transaction.ts'

/** Operator rules for transactions sent to this node. */
export interface SubmissionRules {
  /** Maximum of gas limit times price in wei; 0n means no limit. */
  readonly feeCapWei: bigint
  /** Whether transactions must name a chain. */
  readonly needsChainId: boolean
}

/** The bytes are not a transaction. */
export interface Undecodable {
  readonly ok: false
  readonly reason: 'UNDECODABLE'
  readonly sentence: string
}

export type Preparation = { readonly ok: true; readonly transaction: Transaction } | Rejection | Undecodable

/** Validates by the rules of the block after the head. Senders are recovered later, in batches. */
export function prepareSubmission(
  bytes: Uint8Array,
  chain: ChainView,
  keccak: Keccak,
  rules: SubmissionRules,
): Preparation {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    const sentence = `The transaction has ${bytes.length} bytes, and this node takes at most ${MAX_TRANSACTION_BYTES}.`
    return reject('INVALID_TRANSACTION_FORMAT', sentence)
  }
  let transaction: Transaction
  try {
    // Copied, so the pool does not keep the request's buffer alive.
    const pooled = decodePooledTransaction(bytes.slice(), keccak)
    transaction = pooled.transaction
    const hasBlobs = transaction.type !== 3 || transaction.blobVersionedHashes.length > 0
    if (!hasBlobs || (transaction.type === 3 && pooled.sidecar === undefined)) {
      const sentence = 'A transaction of type 3 has blobs and is sent with them.'
      return { ok: false, reason: 'UNDECODABLE', sentence }
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, reason: 'UNDECODABLE', sentence: error.data.sentence }
  }
  if (!isSignatureInRange(transaction)) {
    const sentence = 'Signature r or s is out of range.'
    return { ok: false, reason: 'UNDECODABLE', sentence }
  }
  return judge(transaction, chain, rules) ?? { ok: true, transaction }
}

export function submissionOf(transaction: Transaction, sender: Address): SubmittedTransaction {
  const { hash, encoded, type, nonce, to, gasLimit } = transaction
  return {
    hash,
    encoded,
    sender,
    type,
    nonce,
    to,
    gasLimit,
    maxFeePerGas: maxFeePerGas(transaction),
    maxPriorityFeePerGas: maxPriorityFeePerGas(transaction),
    maxFeePerBlobGas: type === 3 ? transaction.maxFeePerBlobGas : 0n,
    maxCostWei: maxCostWei(transaction),
  }
}

function judge(
  transaction: Transaction,
  { genesis, head }: ChainView,
  { feeCapWei, needsChainId }: SubmissionRules,
): Rejection | undefined {
  const { gasLimit } = transaction
  const fee = gasLimit * maxFeePerGas(transaction)
  if (feeCapWei > 0n && fee > feeCapWei) {
    return reject('TX_FEECAP_EXCEEDED', `The fee may be ${fee} wei, and --rpc-tx-feecap allows ${feeCapWei}.`)
  }
  const { next, ownRules } = nextTerms(genesis, head().header)
  const verdict = validateTransaction(transaction, ownRules)
  if (!verdict.ok) return verdict
  if (needsChainId && transaction.chainId === null) {
    const sentence = 'The transaction names no chain, and --strict-tx-replay-protection-enabled asks for it.'
    return reject('REPLAY_PROTECTED_SIGNATURE_REQUIRED', sentence)
  }
  if (gasLimit > next.gasLimit) {
    const sentence = `The gas limit ${gasLimit} exceeds the block gas limit ${next.gasLimit}.`
    return reject('EXCEEDS_BLOCK_GAS_LIMIT', sentence)
  }
  if (transaction.type === 3) {
    // Not INVALID_BLOBS: nothing checked them.
    return reject('INVALID_TRANSACTION_FORMAT', 'The pool of this node takes no transactions with blobs.')
  }
  return undefined
}

interface NextTerms {
  readonly genesis: Genesis
  readonly next: ReturnType<typeof nextHeader>
  readonly ownRules: TransactionRules
}

/** Terms of the block after each head, cached because thousands of transactions share them. */
const termsAfter = new WeakMap<BlockHeader, NextTerms>()

function nextTerms(genesis: Genesis, head: BlockHeader): NextTerms {
  const known = termsAfter.get(head)
  if (known?.genesis === genesis) return known
  const next = nextHeader(genesis, head)
  const terms = { genesis, next, ownRules: transactionRulesOf(rulesAt(genesis.config, next)) }
  termsAfter.set(head, terms)
  return terms
}

/** Returns undefined if no key can have made the signature. */
export function recoverOne(transaction: Transaction, { recover, keccak }: Crypto): Address | undefined {
  try {
    return recoverSender(transaction, recover, keccak)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}
