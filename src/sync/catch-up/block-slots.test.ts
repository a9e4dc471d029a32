import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testGenesis } from '#chain/chain.fixture.ts'
import type { EthPeer } from '#sync/peers/eth-peer.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import { hashFromBytes } from '#types/hash.ts'
import { BlockSlots, LATE_MS } from './block-slots.ts'
import type { ChainedHeader } from './header-chain.ts'

const MIB = 1024 * 1024
const ONE = { id: 'one' } as EthPeer
const OTHER = { id: 'other' } as EthPeer
const { header: TEMPLATE } = testGenesis()

function headers(from: number, count: number, bytes = 600): ChainedHeader[] {
  return Array.from({ length: count }, (_, at) => {
    const number = BigInt(from + at)
    const hash = hashFromBytes(new Uint8Array(32).fill(Number(number % 251n) + 1))
    const header = { ...TEMPLATE, number, transactionsRoot: hash } as BlockHeader
    return { hash, header, encoded: new Uint8Array(bytes) }
  })
}

test('kept headers are bounded by number and by bytes', () => {
  const many = new BlockSlots()
  many.add(headers(1, 2_047), ONE)
  assert.ok(!many.isFull)
  many.add(headers(2_048, 1), ONE)
  assert.ok(many.isFull)
  const large = new BlockSlots()
  large.add(headers(1, 15, MIB), ONE)
  assert.ok(!large.isFull)
  large.add(headers(16, 1, MIB), ONE)
  assert.ok(large.isFull)
})

test('a late body is requested from another peer and not again from the same', () => {
  const slots = new BlockSlots()
  slots.add(headers(1, 3), ONE)
  const first = slots.nextMissing(0)!
  assert.equal(slots.askNext(first, ONE, 0).length, 3)
  assert.equal(slots.nextMissing(LATE_MS - 1), undefined)
  const late = slots.nextMissing(LATE_MS)!
  assert.equal(slots.askNext(late, ONE, LATE_MS).length, 0)
  assert.equal(slots.askNext(late, OTHER, LATE_MS).length, 3)
  slots.settle([first], ONE, [])
  assert.equal(slots.nextMissing(LATE_MS), undefined)
  slots.settle([first], OTHER, [])
  assert.equal(slots.nextMissing(LATE_MS), first)
})

test('a kept header that contradicts the chain is found', () => {
  const slots = new BlockSlots()
  slots.add(headers(5, 4), ONE)
  const [, , seventh] = headers(5, 4)
  const tip = { hash: seventh!.hash, header: seventh!.header, number: 7 }
  assert.equal(slots.conflictWith(tip), undefined)
  assert.equal(slots.conflictWith({ ...tip, hash: TEMPLATE.parentHash })?.hash, seventh!.hash)
  assert.equal(slots.conflictWith({ ...tip, number: 4 }), undefined)
  assert.equal(slots.conflictWith({ ...tip, number: 9 }), undefined)
})
