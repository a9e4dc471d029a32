/**
 * Verifies the proof of the point evaluation precompile (EIP-4844) that a committed polynomial has value y at z. It
 * needs two pairings and one constant of the ceremony; libraries load the complete trusted setup, which takes
 * seconds.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigint } from '#types/bytes.ts'
import { parseData } from '#types/hex.ts'

const { G1, G2, fields, pairingBatch } = bls12_381
/** The secret of the ceremony times the generator of G2: the second G2 point of the trusted setup. */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72' +
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

let tau: InstanceType<typeof G2.Point> | undefined

/** All arguments are 0x-prefixed data. Throws if one is not a canonical number or not a point of the group. */
export function verifyKzgProof(commitment: string, z: string, y: string, proof: string): boolean {
  tau ??= G2.Point.fromHex(TAU_G2)
  const zScalar = scalarFrom(z)
  const yScalar = scalarFrom(y)
  const committed = pointFrom(commitment)
  // e(commitment - y, G2) = e(proof, tau - z), as a product that is one.
  const difference = yScalar === 0n ? committed : committed.subtract(G1.Point.BASE.multiply(yScalar))
  const denominator = zScalar === 0n ? tau : tau.subtract(G2.Point.BASE.multiply(zScalar))
  // A pairing with the point at infinity is one, and the library omits such pairs.
  const pairs = [
    { g1: difference, g2: G2.Point.BASE.negate() },
    { g1: pointFrom(proof), g2: denominator },
  ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0())
  return pairs.length === 0 || fields.Fp12.eql(pairingBatch(pairs), fields.Fp12.ONE)
}

function scalarFrom(data: string): bigint {
  const scalar = bytesToBigint(parseData(data))
  if (scalar >= fields.Fr.ORDER) throw new RangeError('The number is not below the order of the field.')
  return scalar
}

function pointFrom(data: string): InstanceType<typeof G1.Point> {
  const point = G1.Point.fromBytes(parseData(data))
  if (!point.is0()) point.assertValidity()
  return point
}
