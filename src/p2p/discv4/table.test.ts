import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.ts'
import { compareBytes } from '#types/bytes.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { BUCKET_NODES, NodeTable } from './table.ts'

const random = createSeededRandom(11)
const draw = () => ({
  id: formatDigits(random.randomBytes(64)),
  ip: '10.0.0.1',
  udpPort: 30303,
  tcpPort: 30303,
})
const SELF = draw().id

/** The half of all nodes that differ from ours in the first bit share the bucket of the largest distance. */
function filled(count: number) {
  const table = new NodeTable(SELF, keccak256)
  const nodes = Array.from({ length: count }, draw)
  for (const node of nodes) table.add(node)
  return { table, nodes }
}

test('a bucket keeps its old members, and gives a place that is free to the one heard of last', () => {
  const { table } = filled(200)
  assert.ok(table.size < 200)
  const members = table.nodes()
  const late = draw()
  const wasAdded = table.add(late)
  assert.equal(table.get(late.id) !== undefined, wasAdded)
  for (const { id } of members) assert.ok(table.get(id) !== undefined)
  const sizeBefore = table.size
  table.remove(members[0]!.id)
  assert.equal(table.get(members[0]!.id), undefined)
  assert.ok(table.size >= sizeBefore - 1)
})

test('the nearest come first', () => {
  const { table } = filled(100)
  const place = keccak256(random.randomBytes(64))
  const far = (node: { place: Uint8Array }) => node.place.map((byte, at) => byte ^ place[at]!)
  const closest = table.closest(place, BUCKET_NODES)
  const all = [...table.nodes()].sort((a, b) => compareBytes(far(a), far(b)))
  assert.deepEqual(closest, all.slice(0, BUCKET_NODES))
})

test('this node itself is never a member, and a node that moved is there once', () => {
  const table = new NodeTable(SELF, keccak256)
  assert.equal(table.add({ ...draw(), id: SELF }), false)
  const node = draw()
  table.add(node)
  table.add({ ...node, ip: '10.0.0.2' })
  assert.equal(table.size, 1)
  assert.equal(table.get(node.id)?.ip, '10.0.0.2')
})
