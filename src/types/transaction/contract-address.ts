import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { type Keccak, keccak256 } from '#types/keccak.ts'
import { encodeRlp, rlpScalar } from '#types/rlp.ts'

const HASH_TAIL = 12

/** The address of the contract that a transaction without recipient creates. */
export function contractAddress(sender: Address, nonce: bigint, keccak: Keccak = keccak256): Address {
  return addressFromBytes(keccak(encodeRlp([addressToBytes(sender), rlpScalar(nonce)])).subarray(HASH_TAIL))
}
