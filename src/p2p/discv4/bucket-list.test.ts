import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { compareBytes } from '#types/bytes.ts'
import { formatDigits, parseDataLenient } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { BUCKET_NODES, BucketList } from './bucket-list.ts'

const random = createSeededRandom(11)
const draw = () => ({
  id: formatDigits(random.randomBytes(64)),
  ip: '127.0.0.1',
  udpPort: 30303,
  tcpPort: 30303,
})
const SELF = draw().id

/** Half of all nodes differ from ours in the first bit and share the bucket of the largest distance. */
function filled(count: number) {
  const list = new BucketList(SELF, keccak256)
  const nodes = Array.from({ length: count }, draw)
  for (const node of nodes) list.add(node)
  return { list, nodes }
}

test('a bucket keeps its old members, and a free place goes to the replacement heard of last', () => {
  const { list } = filled(200)
  assert.ok(list.size < 200)
  const members = list.nodes()
  const late = draw()
  const wasAdded = list.add(late)
  assert.equal(list.get(late.id) !== undefined, wasAdded)
  for (const { id } of members) assert.ok(list.get(id) !== undefined)
  const sizeBefore = list.size
  list.remove(members[0]!)
  assert.equal(list.get(members[0]!.id), undefined)
  assert.ok(list.size >= sizeBefore - 1)
})

test('the closest nodes come first', () => {
  const { list } = filled(100)
  const place = keccak256(random.randomBytes(64))
  const far = (node: { place: Uint8Array }) => node.place.map((byte, at) => byte ^ place[at]!)
  const closest = list.closest(place, BUCKET_NODES)
  const all = [...list.nodes()].sort((a, b) => compareBytes(far(a), far(b)))
  assert.deepEqual(closest, all.slice(0, BUCKET_NODES))
})

test('this node is never a member, and a node that moved is listed once', () => {
  const list = new BucketList(SELF, keccak256)
  assert.equal(list.add({ ...draw(), id: SELF }), false)
  const node = draw()
  list.add(node)
  list.add({ ...node, ip: '10.0.0.2' })
  assert.equal(list.size, 1)
  assert.equal(list.get(node.id)?.ip, '10.0.0.2')
})

test('a node is removed by its own endpoint only', () => {
  const list = new BucketList(SELF, keccak256)
  const node = draw()
  list.add(node)
  list.remove({ ...node, ip: '10.0.0.2' })
  list.remove({ ...node, udpPort: 1 })
  assert.equal(list.size, 1)
  list.remove(node)
  assert.equal(list.size, 0)
})

test('the nodes of a public network and of a private address are limited per bucket and list', () => {
  const countOf = (ip: (at: number) => string): number => {
    const list = new BucketList(SELF, keccak256)
    for (let at = 0; at < 250; at++) list.add({ ...draw(), ip: ip(at) })
    return list.known().length
  }
  assert.ok(countOf((at) => `203.0.113.${at}`) <= 10)
  assert.ok(countOf((at) => `2001:db8:1:${at.toString(16)}::1`) <= 10)
  assert.equal(
    countOf(() => '10.0.0.7'),
    10,
  )
  assert.ok(countOf((at) => `203.0.${at}.1`) > 40)
  assert.ok(countOf((at) => `10.0.0.${at}`) > 40)
  assert.ok(countOf(() => '127.0.0.1') > 40)
  // Half of all nodes share one bucket.
  const list = new BucketList(SELF, keccak256)
  for (let at = 0; at < 250; at++) list.add({ ...draw(), ip: `203.0.113.${at}` })
  const inBucket = new Map<number, number>()
  for (const { place } of list.known()) {
    const bucket = Math.clz32(place[0]! ^ keccak256(parseDataLenient(SELF))[0]!)
    inBucket.set(bucket, (inBucket.get(bucket) ?? 0) + 1)
  }
  assert.equal(inBucket.get(24), 2)
})

test('a node in the bucket list is renewed even if its network is at its limit', () => {
  const list = new BucketList(SELF, keccak256)
  const nodes = Array.from({ length: 10 }, () => ({ ...draw(), ip: '10.0.0.7' }))
  for (const node of nodes) assert.ok(list.add(node))
  assert.ok(list.add(nodes[0]!))
  assert.ok(!list.add({ ...draw(), ip: '10.0.0.7' }))
})
