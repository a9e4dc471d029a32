import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { bigintToBytes, bytesToBigint, concatBytes } from './bytes.ts'
import {
  addressFromPublicKey,
  type CurveName,
  isPrivateKey,
  isPublicKey,
  KEY_RANDOM_BYTES,
  privateKeyFromRandom,
  publicKeyFromPrivate,
  recoverPublicKey,
  sign,
} from './curve.ts'
import { formatDigits, parseData } from './hex.ts'

const CURVES: readonly CurveName[] = ['secp256k1', 'secp256r1']
const K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const ONE = bigintToBytes(1n, 32)
const DIGEST = new Uint8Array(32).fill(0x5a)

test('the public key of private key 1 is the base point of the curve', () => {
  assert.match(formatDigits(publicKeyFromPrivate('secp256k1', ONE)), /^79be667ef9dcbbac.*9c47d08ffb10d4b8$/)
  assert.match(formatDigits(publicKeyFromPrivate('secp256r1', ONE)), /^6b17d1f2e12c4247.*cbb6406837bf51f5$/)
})

test('an address is the end of the hash of the public key', () => {
  const key = parseData('0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63')
  const address = addressFromPublicKey(publicKeyFromPrivate('secp256k1', key))
  assert.equal(address, '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73')
})

test('zero, the order of the curve and wrong lengths are not private keys', () => {
  for (const curve of CURVES) {
    for (const bytes of [
      new Uint8Array(32),
      new Uint8Array(32).fill(0xff),
      new Uint8Array(31).fill(1),
      new Uint8Array(33),
    ]) {
      assert.equal(isPrivateKey(curve, bytes), false)
      assert.throws(() => publicKeyFromPrivate(curve, bytes), { kind: 'INVALID_PRIVATE_KEY' })
    }
  }
  assert.equal(isPrivateKey('secp256k1', bigintToBytes(K1_ORDER, 32)), false)
  assert.equal(isPrivateKey('secp256k1', bigintToBytes(K1_ORDER - 1n, 32)), true)
})

test('a public key is a point on its curve', () => {
  const [k1, r1] = CURVES.map((curve) => publicKeyFromPrivate(curve, ONE)) as [Uint8Array, Uint8Array]
  assert.deepEqual([isPublicKey('secp256k1', k1), isPublicKey('secp256r1', r1)], [true, true])
  assert.deepEqual([isPublicKey('secp256k1', r1), isPublicKey('secp256r1', k1)], [false, false])
  assert.equal(isPublicKey('secp256k1', new Uint8Array(64)), false)
  assert.equal(isPublicKey('secp256k1', k1.subarray(1)), false)
})

test('random bytes of any value make a valid key', () => {
  for (const curve of CURVES) {
    for (const fill of [0x00, 0x01, 0xff]) {
      assert.ok(isPrivateKey(curve, privateKeyFromRandom(curve, new Uint8Array(KEY_RANDOM_BYTES).fill(fill))))
    }
  }
  assert.throws(() => privateKeyFromRandom('secp256k1', new Uint8Array(32)), /48 random bytes/)
})

test('signatures are deterministic as in RFC 6979', () => {
  const digest = createHash('sha256').update('Satoshi Nakamoto').digest()
  assert.equal(
    formatDigits(sign(ONE, digest)).slice(0, 128),
    '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
      '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
  )
})

test('a signature recovers to its public key, with low s and v of 0 or 1', () => {
  const key = fc.bigInt({ min: 1n, max: K1_ORDER - 1n }).map((value) => bigintToBytes(value, 32))
  fc.assert(
    fc.property(key, fc.uint8Array({ minLength: 32, maxLength: 32 }), (privateKey, digest) => {
      const signature = sign(privateKey, digest)
      assert.equal(signature.length, 65)
      assert.ok(bytesToBigint(signature.subarray(32, 64)) <= K1_ORDER / 2n)
      assert.deepEqual(recoverPublicKey(digest, signature), publicKeyFromPrivate('secp256k1', privateKey))
    }),
    { numRuns: 20 },
  )
})

test('the mirrored signature with high s recovers to the same key', () => {
  const signature = sign(ONE, DIGEST)
  const highS = bigintToBytes(K1_ORDER - bytesToBigint(signature.subarray(32, 64)), 32)
  const mirrored = concatBytes(signature.subarray(0, 32), highS, Uint8Array.of(1 - signature[64]!))
  assert.deepEqual(recoverPublicKey(DIGEST, mirrored), publicKeyFromPrivate('secp256k1', ONE))
})

test('an impossible signature is a fault', () => {
  const signature = sign(ONE, DIGEST)
  const zeroR = signature.slice().fill(0, 0, 32)
  const hugeR = signature.slice().fill(0xff, 0, 32)
  const zeroS = signature.slice().fill(0, 32, 64)
  const wrongV = signature.slice().fill(2, 64)
  const noPoint = concatBytes(bigintToBytes(5n, 32), signature.subarray(32))
  for (const bad of [zeroR, hugeR, zeroS, wrongV, noPoint, signature.subarray(1), new Uint8Array(65)]) {
    assert.throws(() => recoverPublicKey(DIGEST, bad), { name: 'Fault', kind: 'INVALID_SIGNATURE' })
  }
})
