import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bigintToBytes, bytesToBigint } from '#types/bytes.ts'
import { publicKeyFromPrivate, recoverPublicKey, sign } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { loadCrypto } from './crypto.ts'
import { loadAddon } from './native/load-addon.ts'

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const { keccak, recover, sign: fastSign, isNative } = await loadCrypto()
const KEY = new Uint8Array(32).fill(7)
const DIGEST = keccak256(KEY)

test('fast hashes equal the pure ones, and stay unchanged', () => {
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

test('fast signatures equal the pure ones, byte for byte', () => {
  for (let index = 0; index < 64; index++) {
    const digest = keccak256(Uint8Array.of(index))
    const key = keccak256(digest)
    assert.deepEqual([...fastSign(key, digest)], [...sign(key, digest)])
  }
})

test('an invalid key or digest is not signed', () => {
  for (const key of [new Uint8Array(32), new Uint8Array(32).fill(0xff), KEY.slice(1)]) {
    assert.throws(() => fastSign(key, DIGEST))
    assert.throws(() => sign(key, DIGEST))
  }
  assert.throws(() => fastSign(KEY, DIGEST.slice(1)))
})

test('keys are recovered by the native engine if it loads', () => {
  assert.equal(isNative, loadAddon().ok)
})

test('fast and pure recovery find the same keys, also for signatures with a high s', () => {
  for (let index = 0; index < 16; index++) {
    const digest = keccak256(Uint8Array.of(index))
    const low = sign(KEY, digest)
    const high = Uint8Array.from(low)
    high.set(bigintToBytes(ORDER - bytesToBigint(low.subarray(32, 64)), 32), 32)
    high[64] = 1 - low[64]!
    for (const signature of [low, high]) {
      assert.deepEqual([...recover(digest, signature)], [...recoverPublicKey(digest, signature)])
    }
  }
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
