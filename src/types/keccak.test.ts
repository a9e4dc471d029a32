import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatData } from './hex.ts'
import { keccak256 } from './keccak.ts'

test("the hash of nothing is Keccak's, not SHA3's", () => {
  assert.equal(
    formatData(keccak256(new Uint8Array(0))),
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  )
})

test('a function selector is the start of the hash of its signature', () => {
  const hash = keccak256(new TextEncoder().encode('transfer(address,uint256)'))
  assert.equal(formatData(hash.subarray(0, 4)), '0xa9059cbb')
})
