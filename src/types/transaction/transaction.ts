/**
 * The transaction types. Five types share a name and some fields; `type` distinguishes them. Decoding, encoding,
 * hashing and rules are in transaction-decode, -encode, -sender, -fees and -validate.
 */

import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { AccessList } from './access-list.ts'
import type { Authorization } from './authorization.ts'

export type TransactionType = 0 | 1 | 2 | 3 | 4

interface Call {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Null creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  /** A view of the input if the transaction was decoded. */
  readonly data: Uint8Array
}

export interface LegacyFields extends Call {
  readonly type: 0
  /** Null if signed without EIP-155, for any chain. */
  readonly chainId: bigint | null
  readonly gasPrice: bigint
}

export interface AccessListFields extends Call {
  readonly type: 1
  readonly chainId: bigint
  readonly gasPrice: bigint
  readonly accessList: AccessList
}

interface FeeMarket extends Call {
  readonly chainId: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly accessList: AccessList
}

export interface FeeMarketFields extends FeeMarket {
  readonly type: 2
}

export interface BlobFields extends FeeMarket {
  readonly type: 3
  readonly to: Address
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Hash[]
}

export interface SetCodeFields extends FeeMarket {
  readonly type: 4
  readonly to: Address
  readonly authorizationList: readonly Authorization[]
}

export type UnsignedTransaction =
  | LegacyFields
  | AccessListFields
  | FeeMarketFields
  | BlobFields
  | SetCodeFields

export interface TransactionSignature {
  readonly yParity: 0 | 1
  readonly r: bigint
  readonly s: bigint
}

interface Signed extends TransactionSignature {
  readonly hash: Hash
  /** EIP-2718: RLP of a legacy transaction, type byte and RLP of the others, without blobs. */
  readonly encoded: Uint8Array
}

/**
 * A signed, well-formed transaction with its hash, not yet validated. It may contain views of its input: to keep it
 * for long, decode it from a copy.
 */
export type Transaction = UnsignedTransaction & Signed
export type BlobTransaction = BlobFields & Signed

/** The type of transactions with blobs (EIP-4844). */
export const BLOB_TYPE = 3

/** Maximum size of a transaction that the node accepts from clients and peers and puts into its own blocks. */
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
/** As many storage keys as fit into that; some 70 MB while it is decoded. */
export const MAX_TRANSACTION_ITEMS = 600_000

/** The `v` of a legacy transaction in place of the parity, as RPC shows it. */
export function transactionV({ type, chainId }: UnsignedTransaction, yParity: 0 | 1): bigint {
  if (type !== 0) return BigInt(yParity)
  return BigInt(yParity) + (chainId === null ? 27n : 35n + 2n * chainId)
}
