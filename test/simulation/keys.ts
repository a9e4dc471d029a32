/** The participants. Addresses are made up, or belong to real keys if messages are encoded and signed. */
import type { WireGeneration } from '#consensus/bft/messages.ts'
import type { Crypto } from '#evm/crypto.ts'
import { type Address, parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { addressFromPublicKey, publicKeyFromPrivate, sign } from '#types/curve.ts'
import { Fault } from '#types/fault.ts'
import { hashFromBytes, hashToBytes } from '#types/hash.ts'
import { type Carrier, CodedCarrier } from './carrier.ts'

export interface Party {
  readonly address: Address
  readonly key: Uint8Array | undefined
}

const publicKeys = new Map<number, Uint8Array>()

/** The public key of the private key that is this byte 32 times. */
function publicKeyOf(byte: number): Uint8Array {
  const key = publicKeys.get(byte) ?? publicKeyFromPrivate('secp256k1', new Uint8Array(32).fill(byte))
  publicKeys.set(byte, key)
  return key
}

/** In ascending order, like validators. */
export function partiesOf(count: number, haveKeys: boolean): Party[] {
  const parties = Array.from({ length: count }, (_, index): Party => {
    if (!haveKeys)
      return { address: parseAddress((index + 1).toString(16).padStart(2, '0').repeat(20)), key: undefined }
    const key = new Uint8Array(32).fill(index + 1)
    return { address: addressFromPublicKey(publicKeyOf(index + 1)), key }
  })
  return parties.sort((one, other) => (one.address < other.address ? -1 : 1))
}

/** Recovers the key of a simulated seal, so real rules can verify it. */
export function recoverOf(
  parties: readonly Party[],
  carrier: Pick<Carrier, 'authorOfSeal'>,
): Crypto['recover'] {
  const keys = new Map(parties.map(({ address, key }) => [address, publicKeyOf(key![0]!)]))
  return (digest, seal) => {
    const author = carrier.authorOfSeal(seal, hashFromBytes(digest))
    const key = author && keys.get(author)
    if (key === undefined)
      throw new Fault('INVALID_SIGNATURE', { sentence: 'No public key made this signature.' })
    return key
  }
}

/** Every other validator writes the previous generation. */
export function createCodedCarrier(
  protocol: BftProtocol,
  parties: readonly Party[],
  { keccak, recover }: Crypto,
): Carrier {
  const coded = parties.map(({ address, key }, index) => ({
    address,
    signDigest: async (digest: Uint8Array) => sign(key!, digest),
    generation: (index % 2 === 0 ? 'current' : 'legacy') as WireGeneration,
  }))
  return new CodedCarrier(protocol, coded, { keccak, recover }, (seal, digest) => {
    try {
      return addressFromPublicKey(recover(hashToBytes(digest), seal), keccak)
    } catch {
      return undefined
    }
  })
}
