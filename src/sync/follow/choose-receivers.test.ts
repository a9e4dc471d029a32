import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { chooseReceivers } from './choose-receivers.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)
const peersUpTo = (count: number): number[] => Array.from({ length: count }, (_, peer) => peer)

test(`every peer gets the block or its hash, and a peer that needs the block gets it (CAIRN_SEED=${SEED})`, () => {
  const random = createSeededRandom(SEED)
  for (let round = 0; round < 500; round++) {
    const peers = peersUpTo(random.randomBelow(120))
    const needing = new Set(peers.filter(() => random.randomBelow(4) === 0))
    const { whole, hashOnly } = chooseReceivers(peers, (peer) => needing.has(peer), random)
    assert.deepEqual(
      [...whole, ...hashOnly].sort((a, b) => a - b),
      peers,
    )
    for (const peer of needing) assert.ok(whole.includes(peer))
    const others = peers.length - needing.size
    const root = Math.max(4, Math.ceil(Math.sqrt(others)))
    assert.equal(whole.length, needing.size + Math.min(others, root))
  }
})

test('a node with four peers sends each of them the complete block', () => {
  const none = () => false
  assert.deepEqual(chooseReceivers(peersUpTo(4), none, createSeededRandom(1)).hashOnly, [])
  assert.equal(chooseReceivers(peersUpTo(25), none, createSeededRandom(1)).whole.length, 5)
  assert.equal(chooseReceivers(peersUpTo(100), none, createSeededRandom(1)).whole.length, 10)
})

test('each peer is drawn about equally often', () => {
  const random = createSeededRandom(7)
  const drawn = new Array<number>(25).fill(0)
  for (let block = 0; block < 5_000; block++) {
    for (const peer of chooseReceivers(peersUpTo(25), () => false, random).whole) drawn[peer]!++
  }
  for (const count of drawn) assert.ok(count > 850 && count < 1_150, `${drawn}`)
})
