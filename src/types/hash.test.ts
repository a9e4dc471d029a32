import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashFromBytes, hashToBytes, parseHash } from './hash.ts'

const HASH = `0x${'c5d2460186f7233c927e7db2dcc703c0'.repeat(2)}`

test('a hash is the same value in any case and with or without prefix', () => {
  for (const text of [HASH, HASH.slice(2), HASH.toUpperCase()]) assert.equal(parseHash(text), HASH)
})

test('a hash survives conversion to bytes and back', () => {
  const hash = parseHash(HASH)
  assert.equal(hashFromBytes(hashToBytes(hash)), hash)
})

test('text that is not exactly 32 bytes of hex is refused', () => {
  for (const text of ['', HASH.slice(0, -2), `${HASH}0`, HASH.replace('c', 'g')]) {
    assert.throws(() => parseHash(text), { name: 'Fault', kind: 'INVALID_HASH' })
  }
})

test('bytes of another length are a bug in the caller', () => {
  assert.throws(() => hashFromBytes(new Uint8Array(20)), { name: 'AssertionFailure' })
})
