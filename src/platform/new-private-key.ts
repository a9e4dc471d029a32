import { type CurveName, KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import { systemRandom } from './random.ts'

export function newPrivateKey(curve: CurveName): Uint8Array {
  return privateKeyFromRandom(curve, systemRandom.randomBytes(KEY_RANDOM_BYTES))
}
