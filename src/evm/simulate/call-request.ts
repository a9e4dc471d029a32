/** An unsigned call as requested, and the rules that apply to it. */

import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { AccessList } from '#types/transaction/access-list.ts'
import type { Authorization } from '#types/transaction/authorization.ts'

/** The policy fills in missing fields. */
export interface CallRequest {
  readonly from?: Address | undefined
  /** A contract is created if absent. */
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
  /** Whether the sender must own the cost of the gas; the method decides if absent. */
  readonly strict?: boolean | undefined
}

/** An authorization that is signed, or that merely names its authority, which only simulations accept. */
export interface CallAuthorization extends Authorization {
  readonly authority?: Address | undefined
}

/** The transaction rules that a call must obey. Senders with code and any gas limit are always allowed. */
export interface CallPolicy {
  /** Allows a nonce above the sender's. */
  readonly mayHaveFutureNonce: boolean
  /** Makes gas and blobs free and the base fee zero; the sender must own only the value. */
  readonly isFree: boolean
  readonly mayBeBelowBaseFee: boolean
  /** The sender need not own the cost of the gas nor pay the blob price. */
  readonly mayLackFunds: boolean
  /** Uses the prices of the request, zero if absent; otherwise an absent price is the base fee. */
  readonly keepsPrices: boolean
}

const STRICT: CallPolicy = {
  mayHaveFutureNonce: false,
  isFree: false,
  mayBeBelowBaseFee: false,
  mayLackFunds: false,
  keepsPrices: false,
}

export const CALL_POLICIES = {
  /** A valid transaction; a missing price is the base fee. */
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
