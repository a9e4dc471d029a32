import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { EMPTY_REQUESTS_HASH, hashRequests } from './requests.ts'

const sha256 = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest()

test('a block without requests has the hash of no bytes', () => {
  assert.equal(EMPTY_REQUESTS_HASH, `0x${sha256().toString('hex')}`)
  assert.equal(hashRequests([Uint8Array.of(0), Uint8Array.of(1), Uint8Array.of(2)]), EMPTY_REQUESTS_HASH)
})

test('the hash covers the hashes of requests that are more than a type', () => {
  const deposit = Uint8Array.of(0, 1, 2, 3)
  const consolidation = Uint8Array.of(2, 9)
  const expected = `0x${sha256(sha256(deposit), sha256(consolidation)).toString('hex')}`
  assert.equal(hashRequests([deposit, Uint8Array.of(1), consolidation]), expected)
})
