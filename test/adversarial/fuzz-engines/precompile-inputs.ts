/** Inputs for precompiles: valid ones, and ones with a wrong byte or length. */

import { bls12_381 } from '@noble/curves/bls12-381.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Address } from '#types/address.ts'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import type { Random } from '../../support/random.ts'

const word = (value: bigint): Uint8Array => bigintToBytes(value, 32)
/** bls12-381 coordinates have 64 bytes here. */
const field = (value: bigint): Uint8Array => bigintToBytes(value, 64)
const scalar = (random: Random): Uint8Array =>
  word(random.chance(0.5) ? random.word() : BigInt(random.below(9)))

/** Returns undefined if the address is not a precompile. */
export function precompileInput(random: Random, address: Address): Uint8Array | undefined {
  const number = Number(BigInt(address))
  const generate = GENERATORS[number]
  if (generate === undefined) return undefined
  const input = generate(random)
  switch (random.below(8)) {
    case 0:
      return input.slice(0, random.below(input.length + 1))
    case 1:
      return concatBytes(input, random.bytes(random.below(40)))
    case 2: {
      const changed = input.slice()
      if (changed.length > 0) changed[random.below(changed.length)] = random.below(256)
      return changed
    }
    default:
      return input
  }
}

function ecrecover(random: Random): Uint8Array {
  const digest = keccak256(random.bytes(8))
  const key = random.pick(KEYS)
  const signature = secp256k1.sign(digest, key, { prehash: false, format: 'recovered' })
  return concatBytes(digest, word(27n + BigInt(signature[0]!)), signature.subarray(1))
}

function modexp(random: Random): Uint8Array {
  const parts = [40, 40, random.pick([9, 17, 25, 33, 40])].map((most) =>
    edgeNumber(random, random.below(most)),
  )
  const lengths = parts.map(({ length }) => BigInt(length))
  if (random.chance(0.05)) lengths[random.below(3)] = random.word()
  return concatBytes(...lengths.map(word), ...parts)
}

/** A random number, or one with all bits set, no bit, one bit, or many factors of two. */
function edgeNumber(random: Random, length: number): Uint8Array {
  const bytes = random.bytes(length)
  switch (random.below(8)) {
    case 0:
      return bytes.fill(255)
    case 1:
      return bytes.fill(0)
    case 2:
      bytes.fill(0)
      if (length > 0) bytes[random.below(length)] = 1 << random.below(8)
      return bytes
    case 3:
      return bytes.fill(0, random.below(length + 1))
    default:
      return bytes
  }
}

/** The zero polynomial: its value is zero everywhere, and commitment and proof are the point at infinity. */
function pointEvaluation(random: Random): Uint8Array {
  const infinity = new Uint8Array(48)
  infinity[0] = 0xc0
  const hash = sha256(infinity)
  hash[0] = 1
  const value = random.chance(0.2) ? scalar(random) : new Uint8Array(32)
  return concatBytes(hash, scalar(random), value, infinity, infinity)
}

const BN_P = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const BN_POINTS: readonly (readonly [bigint, bigint])[] = [
  [0n, 0n],
  [1n, 2n],
  [1n, BN_P - 2n],
  [
    1368015179489954701390400359078579693043519447331113978918064868415326638035n,
    9918110051302171585080402603319702774565515993150576347155970296011118125764n,
  ],
]
const bnPoint = (random: Random): Uint8Array => concatBytes(...random.pick(BN_POINTS).map(word))
/** The generator of the second group, imaginary parts first. */
const BN_G2 = [
  0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
  0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
  0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
  0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
].map(word)

function bnPairing(random: Random): Uint8Array {
  const pairs = Array.from({ length: random.below(3) }, () =>
    concatBytes(bnPoint(random), ...(random.chance(0.2) ? [new Uint8Array(128)] : BN_G2)),
  )
  return concatBytes(...pairs)
}

function blake2(random: Random): Uint8Array {
  const rounds = bigintToBytes(BigInt(random.below(30)), 4)
  return concatBytes(
    rounds,
    random.bytes(64 + 128 + 16),
    Uint8Array.of(random.below(8) === 0 ? 2 : random.below(2)),
  )
}

function blsG1(random: Random): Uint8Array {
  if (random.chance(0.2)) return new Uint8Array(128)
  const point = bls12_381.G1.Point.BASE.multiply(BigInt(1 + random.below(5))).toAffine()
  return concatBytes(field(point.x), field(random.chance(0.05) ? point.y + 1n : point.y))
}

function blsG2(random: Random): Uint8Array {
  if (random.chance(0.2)) return new Uint8Array(256)
  const { x, y } = bls12_381.G2.Point.BASE.multiply(BigInt(1 + random.below(3))).toAffine()
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map(field))
}

const several = (random: Random, most: number, one: (random: Random) => Uint8Array): Uint8Array =>
  concatBytes(...Array.from({ length: random.below(most + 1) }, () => one(random)))

function blsField(random: Random): Uint8Array {
  const value = random.chance(0.1) ? bls12_381.fields.Fp.ORDER : random.word()
  return field(value % 2n ** 384n)
}

function p256Verify(random: Random): Uint8Array {
  const digest = random.bytes(32)
  const key = random.pick(KEYS)
  const signature = p256.sign(digest, key, { prehash: false })
  return concatBytes(digest, signature, p256.getPublicKey(key, false).subarray(1))
}

const KEYS = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))

const GENERATORS: Readonly<Record<number, (random: Random) => Uint8Array>> = {
  1: ecrecover,
  2: (random) => random.bytes(random.below(100)),
  3: (random) => random.bytes(random.below(100)),
  4: (random) => random.bytes(random.below(100)),
  5: modexp,
  6: (random) => concatBytes(bnPoint(random), bnPoint(random)),
  7: (random) => concatBytes(bnPoint(random), scalar(random)),
  8: bnPairing,
  9: blake2,
  10: pointEvaluation,
  11: (random) => concatBytes(blsG1(random), blsG1(random)),
  12: (random) => several(random, 2, () => concatBytes(blsG1(random), scalar(random))),
  13: (random) => concatBytes(blsG2(random), blsG2(random)),
  14: (random) => several(random, 2, () => concatBytes(blsG2(random), scalar(random))),
  15: (random) => several(random, 2, () => concatBytes(blsG1(random), blsG2(random))),
  16: blsField,
  17: (random) => concatBytes(blsField(random), blsField(random)),
  256: p256Verify,
}
