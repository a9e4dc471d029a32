import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicKeyFromPrivate, recoverPublicKey, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { loadCrypto } from './crypto.ts'

const { keccak, recover } = await loadCrypto()
const KEY = new Uint8Array(32).fill(7)
const DIGEST = keccak256(KEY)

test('fast hashes are the pure ones, and the caller keeps them', () => {
  const inputs = [0, 1, 135, 136, 137, 1000].map((length) => new Uint8Array(length).fill(length))
  const hashes = inputs.map((input) => keccak(input))
  assert.deepEqual(
    hashes.map((hash) => [...hash]),
    inputs.map((input) => [...keccak256(input)]),
  )
})

test('fast recovery finds the key that signed', () => {
  const signature = sign(KEY, DIGEST)
  assert.deepEqual([...recover(DIGEST, signature)], [...publicKeyFromPrivate('secp256k1', KEY)])
})

test('fast and pure recovery refuse the same signatures with the same fault', () => {
  const good = sign(KEY, DIGEST)
  const bad = [
    new Uint8Array(65),
    new Uint8Array(65).fill(0xff),
    good.slice(0, 64),
    Uint8Array.from(good, (byte, index) => (index === 64 ? 2 : byte)),
    Uint8Array.from(good, (byte, index) => (index < 32 ? 0xff : byte)),
    Uint8Array.from(good, (byte, index) => (index >= 32 && index < 64 ? 0 : byte)),
  ]
  for (const signature of bad) {
    assert.throws(() => recoverPublicKey(DIGEST, signature), { kind: 'INVALID_SIGNATURE' })
    assert.throws(() => recover(DIGEST, signature), { kind: 'INVALID_SIGNATURE' })
  }
})
