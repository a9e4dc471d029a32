/** EIP-7702: the signed permission of an account to run the code of another address as its own. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { unlessFault } from '#types/fault.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, listFromRlp, type RlpItem, rlpScalar, scalarFromRlp } from '#types/rlp.ts'
import { isLowS, type Recover, signatureToBytes } from './signature.ts'

export interface Authorization {
  /** 0 for any chain. */
  readonly chainId: bigint
  readonly address: Address
  readonly nonce: bigint
  /** 0 to 255; values other than 0 and 1 have no signer, which does not invalidate the transaction. */
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** The first signed byte, which distinguishes it from a transaction. */
const MAGIC = Uint8Array.of(0x05)

export function authorizationFromRlp(item: RlpItem): Authorization {
  const [chainId, address, nonce, yParity, r, s] = listFromRlp(item, 6)
  return {
    chainId: scalarFromRlp(chainId),
    address: addressFromRlp(address),
    nonce: scalarFromRlp(nonce, 8),
    yParity: Number(scalarFromRlp(yParity, 1)),
    r: scalarFromRlp(r),
    s: scalarFromRlp(s),
  }
}

export function authorizationToRlp({ yParity, r, s, ...signed }: Authorization): RlpItem {
  return [...signedFields(signed), rlpScalar(yParity), rlpScalar(r), rlpScalar(s)]
}

export function authorizationSigningHash(
  authorization: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
  keccak: Keccak = keccak256,
): Uint8Array {
  return keccak(concatBytes(MAGIC, encodeRlp(signedFields(authorization))))
}

/**
 * Returns the signer, or undefined if the signature is impossible. Such an authorization is skipped, and its
 * transaction stays valid.
 */
export function recoverAuthority(
  authorization: Authorization,
  recover: Recover = recoverPublicKey,
  keccak: Keccak = keccak256,
): Address | undefined {
  const { yParity, r, s } = authorization
  if (yParity > 1 || !isLowS(s)) return undefined
  const digest = authorizationSigningHash(authorization, keccak)
  const key = unlessFault(() => recover(digest, signatureToBytes(r, s, yParity)))
  return key && addressFromPublicKey(key, keccak)
}

function signedFields({ chainId, address, nonce }: Pick<Authorization, 'chainId' | 'address' | 'nonce'>) {
  return [rlpScalar(chainId), addressToBytes(address), rlpScalar(nonce)]
}
