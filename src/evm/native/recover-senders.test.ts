import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SignedDigest } from '#evm/engine.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { loadAddon } from './load-addon.ts'
import { recoverSenders } from './recover-senders.ts'

const loaded = loadAddon()
const skip = loaded.ok ? false : `not built: ${loaded.sentence}`
const KEY = new Uint8Array(32).fill(7)
const SIGNER = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))

function signed(index: number): SignedDigest {
  const digest = keccak256(Uint8Array.of(index))
  const signature = sign(KEY, digest)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)].map(bytesToBigint) as [
    bigint,
    bigint,
  ]
  return { digest, r, s, yParity: signature[64]! }
}

test('senders of more signatures than one task takes are returned in order', { skip }, async () => {
  if (!loaded.ok) return
  const many = Array.from({ length: 150 }, (_, index) => signed(index))
  const found = await recoverSenders(loaded.addon, many)
  assert.equal(found.length, 150)
  assert.ok(found.every((address) => address === SIGNER))
})

test('an impossible signature has no sender and does not affect others', { skip }, async () => {
  if (!loaded.ok) return
  const bad = [
    { ...signed(1), r: 0n },
    { ...signed(1), s: 0n },
    { ...signed(1), yParity: 2 },
    { ...signed(1), r: 2n ** 256n - 1n },
  ]
  const found = await recoverSenders(loaded.addon, [...bad, signed(2)])
  assert.deepEqual(found, [undefined, undefined, undefined, undefined, SIGNER])
})

test('no signatures have no senders', { skip }, async () => {
  if (!loaded.ok) return
  assert.deepEqual(await recoverSenders(loaded.addon, []), [])
})
