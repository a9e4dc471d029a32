/**
 * Compares public key recovery in the native engine with the pure JavaScript fallback. Rounds alternate, each over the same
 * signatures.
 *
 *   npm run bench -- recover [--rounds 20]
 */
import { parseArgs } from 'node:util'
import { loadCrypto } from '#evm/crypto.ts'
import { recoverPublicKey, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import type { Recover } from '#types/transaction/signature.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const SIGNATURES = 50

const { recover, isNative } = await loadCrypto()
if (!isNative) throw new Error('Cannot load the native engine. Run npm run build:native.')

const signed = Array.from({ length: SIGNATURES }, (_, index) => {
  const digest = keccak256(Uint8Array.of(index))
  return { digest, signature: sign(keccak256(digest), digest) }
})

function microsecondsOf(form: Recover): number {
  const start = performance.now()
  for (const { digest, signature } of signed) form(digest, signature)
  return ((performance.now() - start) * 1_000) / SIGNATURES
}

const pairs = Array.from({ length: Number(values.rounds) + 1 }, () => ({
  native: microsecondsOf(recover),
  pure: microsecondsOf(recoverPublicKey),
})).slice(1) // The first pair is the warm-up.
const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[numbers.length >> 1]!
console.log(`native: ${median(pairs.map(({ native }) => native)).toFixed(0)} microseconds a key`)
console.log(`pure:   ${median(pairs.map(({ pure }) => pure)).toFixed(0)} microseconds a key`)
console.log(`pure / native: ${median(pairs.map(({ native, pure }) => pure / native)).toFixed(1)}`)
