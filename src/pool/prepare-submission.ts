/** Decodes and validates untrusted bytes, on the thread that received them. */
import { nextHeader } from '#chain/read/call-site.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { Crypto } from '#evm/crypto.ts'
import { rulesAt, sidecarVersionOf, transactionRulesOf } from '#evm/rules.ts'
import type { Address } from '#types/address.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Keccak } from '#types/keccak.ts'
import {
  type BlobSidecar,
  decodePooledTransaction,
  type SidecarVersion,
} from '#types/transaction/blob-sidecar.ts'
import { isSignatureInRange } from '#types/transaction/signature.ts'
import {
  type BlobTransaction,
  MAX_TRANSACTION_BYTES,
  type Transaction,
} from '#types/transaction/transaction.ts'
import { maxCostWei, maxFeePerGas, maxPriorityFeePerGas } from '#types/transaction/transaction-fees.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { type TransactionRules, validateTransaction } from '#types/transaction/transaction-validate.ts'
import {
  type Rejection,
  reject,
  type SubmittedBlobs,
  type SubmittedTransaction,
} from './submitted-transaction.ts'

/** Operator rules for transactions sent to this node. */
export interface SubmissionRules {
  /** Maximum of gas limit times price in wei; 0n means no limit. */
  readonly feeCapWei: bigint
  /** Whether transactions must name a chain. */
  readonly needsChainId: boolean
  /** Whether blobs with the proofs of earlier forks get the proofs that the next block needs. */
  readonly convertsBlobs: boolean
}

/** The bytes are not a transaction. */
export interface Undecodable {
  readonly ok: false
  readonly reason: 'UNDECODABLE'
  readonly sentence: string
}

export interface Prepared {
  readonly ok: true
  readonly transaction: Transaction
  /** Undefined for types without blobs. */
  readonly unverified: UnverifiedBlobs | undefined
}

export interface UnverifiedBlobs {
  readonly transaction: BlobTransaction
  readonly sidecar: BlobSidecar
  /** The transaction with its blobs, as received. */
  readonly encoded: Uint8Array
  /** The version for the block after the head. */
  readonly wanted: SidecarVersion
}

export type Preparation = Prepared | Rejection | Undecodable

/** Validates by the rules of the block after the head. Senders are recovered and blobs verified later. */
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
  let unverified: UnverifiedBlobs | undefined
  try {
    // Copied, so the pool does not keep the request's buffer alive.
    const encoded = bytes.slice()
    const pooled = decodePooledTransaction(encoded, keccak)
    transaction = pooled.transaction
    if (transaction.type === 3) {
      if (transaction.blobVersionedHashes.length === 0 || pooled.sidecar === undefined) {
        const sentence = 'A transaction of type 3 has blobs and is sent with them.'
        return { ok: false, reason: 'UNDECODABLE', sentence }
      }
      const { sidecarVersion: wanted } = nextTerms(chain.genesis, chain.head().header)
      unverified = { transaction, sidecar: pooled.sidecar, encoded, wanted }
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ok: false, reason: 'UNDECODABLE', sentence: error.data.sentence }
  }
  if (!isSignatureInRange(transaction)) {
    const sentence = 'Signature r or s is out of range.'
    return { ok: false, reason: 'UNDECODABLE', sentence }
  }
  return judge(transaction, chain, rules) ?? { ok: true, transaction, unverified }
}

export function submissionOf(
  transaction: Transaction,
  sender: Address,
  blobs?: SubmittedBlobs | undefined,
): SubmittedTransaction {
  const { hash, encoded, type, nonce, to, gasLimit } = transaction
  return {
    hash,
    encoded,
    ...(blobs && { blobs }),
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
  return undefined
}

interface NextTerms {
  readonly genesis: Genesis
  readonly next: ReturnType<typeof nextHeader>
  readonly ownRules: TransactionRules
  readonly sidecarVersion: SidecarVersion
}

/** Terms of the block after each head, cached because thousands of transactions share them. */
const termsAfter = new WeakMap<BlockHeader, NextTerms>()

function nextTerms(genesis: Genesis, head: BlockHeader): NextTerms {
  const known = termsAfter.get(head)
  if (known?.genesis === genesis) return known
  const next = nextHeader(genesis, head)
  const rules = rulesAt(genesis.config, next)
  const terms = {
    genesis,
    next,
    ownRules: transactionRulesOf(rules),
    sidecarVersion: sidecarVersionOf(rules),
  }
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
