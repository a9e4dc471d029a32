import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { hashToBytes, parseHash } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import {
  bloomBits,
  bloomMightContain,
  bloomOfLogs,
  emptyBloom,
  type KnownBits,
  mergeBlooms,
} from './bloom.ts'

const ADDRESS = parseAddress('0x22341ae42d6dd7384bc8584e50419ea3ac75b83f')
const TOPIC = parseHash('0x04491edcd115127caedbd478e2e7895ed80c7847e903431f94f9cfa579cad47f')
const DATA = new Uint8Array(0)

test('a log sets the known bits of its address and topic', () => {
  const bloom = bloomOfLogs([{ address: ADDRESS, topics: [TOPIC], data: DATA }])
  const set = [...formatDigits(bloom)].filter((digit) => digit !== '0').length
  assert.ok(set <= 6)
  for (const bytes of [addressToBytes(ADDRESS), hashToBytes(TOPIC)]) {
    assert.ok(bloomMightContain(bloom, bloomBits(bytes)))
    for (const bit of bloomBits(bytes))
      assert.notEqual(bloom[255 - Math.floor(bit / 8)]! & (1 << (bit % 8)), 0)
  }
})

test('the bits of a value are the low 11 of the first three pairs of its hash', () => {
  const hash = new Uint8Array(32)
  hash.set([0xff, 0xff, 0x08, 0x00, 0x00, 0x01])
  assert.deepEqual(
    bloomBits(DATA, () => hash),
    [0x7ff, 0, 1],
  )
})

test('values outside the logs are mostly excluded', () => {
  const bloom = bloomOfLogs([{ address: ADDRESS, topics: [], data: DATA }])
  assert.ok(!bloomMightContain(bloom, bloomBits(hashToBytes(TOPIC))))
  assert.ok(!bloomMightContain(emptyBloom(), bloomBits(addressToBytes(ADDRESS))))
})

test('known bits are not hashed again and give the same bloom', () => {
  const log = { address: ADDRESS, topics: [TOPIC, TOPIC], data: DATA }
  let hashes = 0
  const counting = (bytes: Uint8Array): Uint8Array => {
    hashes++
    return keccak256(bytes)
  }
  const known: KnownBits = new Map()
  for (let count = 0; count < 3; count++) {
    assert.deepEqual(bloomOfLogs([log], counting, known), bloomOfLogs([log]))
  }
  assert.equal(hashes, 2)
})

test('merged blooms equal the bloom of all their logs', () => {
  const one = { address: ADDRESS, topics: [], data: DATA }
  const other = { address: parseAddress('11'.repeat(20)), topics: [TOPIC], data: DATA }
  assert.deepEqual(mergeBlooms([bloomOfLogs([one]), bloomOfLogs([other])]), bloomOfLogs([one, other]))
  assert.deepEqual(mergeBlooms([]), emptyBloom())
})
