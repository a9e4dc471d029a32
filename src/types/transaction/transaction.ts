/**
 * What a transaction is. Five types share a name and some fields; `type` tells them apart. Decoding, encoding,
 * hashing and rules stand in the files beside: transaction-decode, -encode, -sender, -fees, -validate.
 */

import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { AccessList } from './access-list.ts'
import type { Authorization } from './authorization.ts'

export type TransactionType = 0 | 1 | 2 | 3 | 4

interface Call {
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** null creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  /** Of a decoded transaction, a view into the bytes it was decoded from. */
  readonly data: Uint8Array
}

export interface LegacyFields extends Call {
  readonly type: 0
  /** null: signed for no chain in particular, without EIP-155. */
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
 * Signed, well-formed, and with its hash; whether it is valid, and who sent it, is another question. It may be
 * made of views into the bytes it came in: who keeps it for long decodes it from a copy.
 */
export type Transaction = UnsignedTransaction & Signed
export type BlobTransaction = BlobFields & Signed

/** Maximum size of a transaction that the node takes from clients and peers and puts into its own blocks. */
export const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024
/** As many storage keys as fit in that; some 70 MB while it is decoded. */
export const MAX_TRANSACTION_ITEMS = 600_000

/** The `v` that a legacy transaction carries in the place of the parity, and that RPC shows. */
export function transactionV({ type, chainId }: UnsignedTransaction, yParity: 0 | 1): bigint {
  if (type !== 0) return BigInt(yParity)
  return BigInt(yParity) + (chainId === null ? 27n : 35n + 2n * chainId)
}
