/** An unsigned call: what a request says of it, and which rules apply to it. */

import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { AccessList } from '#types/transaction/access-list.ts'
import type { Authorization } from '#types/transaction/authorization.ts'

/** What is absent is filled in as the policy says. */
export interface CallRequest {
  readonly from?: Address | undefined
  /** Absent: a contract is created. */
  readonly to?: Address | undefined
  readonly gas?: bigint | undefined
  readonly gasPrice?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  readonly maxFeePerBlobGas?: bigint | undefined
  readonly value?: bigint | undefined
  readonly data?: Uint8Array | undefined
  readonly nonce?: bigint | undefined
  readonly chainId?: bigint | undefined
  readonly accessList?: AccessList | undefined
  readonly blobVersionedHashes?: readonly Hash[] | undefined
  readonly authorizations?: readonly CallAuthorization[] | undefined
  /** Whether the sender must own what the gas costs; absent: the method decides. */
  readonly strict?: boolean | undefined
}

/** Signed, or by an authority that is merely named: that one holds in simulations only. */
export interface CallAuthorization extends Authorization {
  readonly authority?: Address | undefined
}

/** Which rules of a transaction a call keeps. Senders with code and any gas limit are always allowed. */
export interface CallPolicy {
  /** The nonce may be above that of the sender. */
  readonly mayHaveFutureNonce: boolean
  /** Gas and blobs cost nothing, and the base fee is zero: the sender must own the value and no more. */
  readonly isFree: boolean
  readonly mayBeBelowBaseFee: boolean
  /** The sender need not own what the gas costs, nor pay the price of blobs. */
  readonly mayLackFunds: boolean
  /** Prices are those of the request, absent ones zero; otherwise an absent price is the base fee. */
  readonly keepsPrices: boolean
}

const STRICT: CallPolicy = {
  mayHaveFutureNonce: false,
  isFree: false,
  mayBeBelowBaseFee: false,
  mayLackFunds: false,
  keepsPrices: false,
}

/** Named by what they are for. */
export const CALL_POLICIES = {
  /** A transaction as it would have to be, with an unset price at the base fee. */
  strict: STRICT,
  /** eth_call with a price, or with `strict`. */
  pricedCall: { ...STRICT, mayHaveFutureNonce: true },
  /** eth_call without a price; eth_estimateGas and others with `strict` off. */
  freeCall: { ...STRICT, mayHaveFutureNonce: true, isFree: true },
  /** eth_estimateGas and eth_createAccessList. */
  estimate: { ...STRICT, mayHaveFutureNonce: true, mayBeBelowBaseFee: true, mayLackFunds: true },
  /** eth_simulateV1 with validation and without. */
  validatedBlock: { ...STRICT, keepsPrices: true },
  plainBlock: { ...STRICT, mayHaveFutureNonce: true, mayBeBelowBaseFee: true, keepsPrices: true },
} as const satisfies Record<string, CallPolicy>
