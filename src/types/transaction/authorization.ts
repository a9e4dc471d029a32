/** EIP-7702: the signed permission of an account to run the code of another address as its own. */
import { type Address, addressFromRlp, addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { addressFromPublicKey, recoverPublicKey } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, listFromRlp, type RlpItem, rlpScalar, scalarFromRlp } from '#types/rlp.ts'
import { isLowS, type Recover, signatureToBytes } from './signature.ts'

export interface Authorization {
  /** 0: any chain. */
  readonly chainId: bigint
  readonly address: Address
  readonly nonce: bigint
  /** 0 to 255; other than 0 and 1 it is a signature of nobody, which does not spoil the transaction. */
  readonly yParity: number
  readonly r: bigint
  readonly s: bigint
}

/** What is signed begins with this byte, so that it is no transaction. */
const MAGIC = Uint8Array.of(0x05)

export function authorizationFromRlp(item: RlpItem): Authorization {
  const [chainId, address, nonce, yParity, r, s] = listFromRlp(item, 6) as readonly [
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
    RlpItem,
  ]
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

/** Who signed; undefined if nobody can have. Such an authorization is passed over, its transaction is valid. */
export function recoverAuthority(
  authorization: Authorization,
  recover: Recover = recoverPublicKey,
  keccak: Keccak = keccak256,
): Address | undefined {
  const { yParity, r, s } = authorization
  if (yParity > 1 || !isLowS(s)) return undefined
  try {
    const digest = authorizationSigningHash(authorization, keccak)
    return addressFromPublicKey(recover(digest, signatureToBytes(r, s, yParity)), keccak)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}

function signedFields({ chainId, address, nonce }: Pick<Authorization, 'chainId' | 'address' | 'nonce'>) {
  return [rlpScalar(chainId), addressToBytes(address), rlpScalar(nonce)]
}
