import { boolean, number, string, union } from 'zod'
import type { Resources } from '#api/resources.ts'
import { type RpcErrorKind, rpcFault } from '#jsonrpc/errors.ts'
import { Param } from '#jsonrpc/method.ts'
import type { AdmissionReason, POOL_REFUSALS } from '#pool/submitted-transaction.ts'
import type { Address } from '#types/address.ts'
import { unlessFault } from '#types/fault.ts'
import type { Hash } from '#types/hash.ts'
import { parseDataLenient } from '#types/hex.ts'
import { MAX_TRANSACTION_BYTES } from '#types/transaction/transaction.ts'
import { REFUSALS } from './run-call.ts'

/** The bytes of a signed transaction; as in Besu, 0x is optional. Undefined if the text is not hex. */
export const RawTransaction = new Param<Uint8Array | undefined>(
  union([string(), number(), boolean()])
    .meta({
      description: `the bytes of a signed transaction, at most ${MAX_TRANSACTION_BYTES}`,
      pattern: '^(0x)?([0-9a-fA-F]{2})*$',
    })
    .transform((wire) =>
      typeof wire === 'string' ? unlessFault(() => parseDataLenient(wire, MAX_TRANSACTION_BYTES)) : undefined,
    ),
  'INVALID_TRANSACTION_PARAMS',
)

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
  WRONG_BLOB_PROOFS: 'INVALID_BLOBS',
}

const KINDS: Readonly<Record<AdmissionReason | 'UNDECODABLE', RpcErrorKind>> = {
  ...REFUSALS,
  ...OF_POOL,
  UNDECODABLE: 'INVALID_PARAMS',
}

/** The message is exactly Besu's, since clients match it; the reason is in `data`. */
export async function submit(
  intake: Resources['intake'],
  bytes: Uint8Array | undefined,
  sender?: Address,
): Promise<Hash> {
  if (bytes === undefined) throw rpcFault('INVALID_PARAMS')
  const verdict = await intake.submit(bytes, sender)
  if (verdict.ok) return verdict.hash
  throw rpcFault(KINDS[verdict.reason], { data: verdict.sentence })
}
