import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { bytesToBigint } from '#types/bytes.ts'
import { addressFromPublicKey, publicKeyFromPrivate, sign } from '#types/curve.ts'
import {
  authorizationFromRlp,
  authorizationSigningHash,
  authorizationToRlp,
  recoverAuthority,
} from './authorization.ts'

const KEY = new Uint8Array(32).fill(0x46)
const SIGNED = { chainId: 1n, address: parseAddress('35'.repeat(20)), nonce: 7n }
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const signature = sign(KEY, authorizationSigningHash(SIGNED))
const AUTHORIZATION = {
  ...SIGNED,
  yParity: signature[64]!,
  r: bytesToBigint(signature.subarray(0, 32)),
  s: bytesToBigint(signature.subarray(32, 64)),
}

test('the signer is recovered', () => {
  const authority = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
  assert.equal(recoverAuthority(AUTHORIZATION), authority)
  assert.notEqual(recoverAuthority({ ...AUTHORIZATION, nonce: 8n }), authority)
})

test('a malformed signature has no signer', () => {
  assert.equal(recoverAuthority({ ...AUTHORIZATION, yParity: 2 }), undefined)
  assert.equal(recoverAuthority({ ...AUTHORIZATION, s: ORDER - AUTHORIZATION.s }), undefined)
  assert.equal(recoverAuthority({ ...AUTHORIZATION, r: 0n }), undefined)
})

test('a bug in the recover function is not taken for a bad signature', () => {
  const recover = () => {
    throw new TypeError('a bug')
  }
  assert.throws(() => recoverAuthority(AUTHORIZATION, recover), TypeError)
})

test('an authorization survives its encoding', () => {
  assert.deepEqual(authorizationFromRlp(authorizationToRlp(AUTHORIZATION)), AUTHORIZATION)
})
