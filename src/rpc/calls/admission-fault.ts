/** The errors that clients get for a transaction that the pool refuses. */
import type { IntakeVerdict } from '#pool/intake.ts'
import type { AdmissionReason, POOL_REFUSALS } from '#pool/submitted-transaction.ts'
import { type RpcErrorKind, rpcFault } from '#rpc/errors.ts'
import type { Hash } from '#types/hash.ts'
import { REFUSALS } from './call-fault.ts'

const OF_POOL: Readonly<Record<(typeof POOL_REFUSALS)[number], RpcErrorKind>> = {
  TX_FEECAP_EXCEEDED: 'TX_FEECAP_EXCEEDED',
  GAS_PRICE_TOO_LOW: 'GAS_PRICE_TOO_LOW',
  NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER: 'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER',
  PLUGIN_REFUSED: 'PLUGIN_TX_POOL_VALIDATOR',
  POOL_BUSY: 'LIMIT_EXCEEDED',
  POOL_FULL: 'LIMIT_EXCEEDED',
  REPLAY_PROTECTED_SIGNATURE_REQUIRED: 'REPLAY_PROTECTED_SIGNATURE_REQUIRED',
  TRANSACTION_ALREADY_KNOWN: 'ETH_SEND_TX_ALREADY_KNOWN',
  TRANSACTION_REPLACEMENT_UNDERPRICED: 'ETH_SEND_TX_REPLACEMENT_UNDERPRICED',
  TX_SENDER_NOT_AUTHORIZED: 'TX_SENDER_NOT_AUTHORIZED',
}

const KINDS: Readonly<Record<AdmissionReason | 'UNDECODABLE', RpcErrorKind>> = {
  ...REFUSALS,
  ...OF_POOL,
  UNDECODABLE: 'INVALID_PARAMS',
}

export function admissionKind(reason: AdmissionReason | 'UNDECODABLE'): RpcErrorKind {
  return KINDS[reason]
}

/** The message is Besu's and nothing else, since clients match it; the sentence is beside it. */
export function requireAdmitted(verdict: IntakeVerdict): Hash {
  if (verdict.ok) return verdict.hash
  throw rpcFault(admissionKind(verdict.reason), { data: verdict.sentence })
}
