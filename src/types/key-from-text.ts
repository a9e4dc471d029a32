import { type CurveName, isPrivateKey, PRIVATE_KEY_BYTES } from './curve.ts'
import { parseDataLenient } from './hex.ts'

/** Parses 64 hex digits with an optional 0x; undefined if they are not a key. */
export function keyFromText(text: string, curve: CurveName = 'secp256k1'): Uint8Array | undefined {
  try {
    const key = parseDataLenient(text, PRIVATE_KEY_BYTES)
    return isPrivateKey(curve, key) ? key : undefined
  } catch {
    // The cause would quote characters of the key.
    return undefined
  }
}
