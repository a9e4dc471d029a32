import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlaceWire, SelectorWire } from './values.ts'

const HASH = `0x${'ab'.repeat(32)}`
const place = (wire: unknown) => PlaceWire.safeParse(wire).data
const selector = (wire: unknown) => SelectorWire.safeParse(wire).data

test('tags are taken in any case, numbers as hex', () => {
  assert.deepEqual(place('LATEST'), { kind: 'tag', tag: 'latest' })
  assert.deepEqual(place('0x1f'), { kind: 'number', number: 31n })
  assert.deepEqual(place('0X01'), { kind: 'number', number: 1n })
  assert.deepEqual(selector('0x7fffffffff'), { kind: 'number', number: 0x7fffffffffn })
})

test('a JSON number is a block number if no hash is allowed', () => {
  assert.deepEqual(place(5), { kind: 'number', number: 5n })
  assert.equal(selector(5), undefined)
  for (const wrong of [-1, 1.5, 2 ** 53]) assert.equal(place(wrong), undefined)
})

test('a hash stands as text, or as an object that may ask for the canonical chain', () => {
  const hash = { kind: 'hash', hash: HASH, requireCanonical: false }
  assert.deepEqual(selector(HASH.toUpperCase().replace('0X', '0x')), hash)
  assert.deepEqual(selector({ blockHash: HASH }), hash)
  assert.deepEqual(selector({ blockHash: HASH, requireCanonical: true }), { ...hash, requireCanonical: true })
  assert.deepEqual(selector({ blockNumber: '0x2' }), { kind: 'number', number: 2n })
  assert.equal(place(HASH), undefined)
})

test('a value that names no block is refused', () => {
  const wrong = [
    '',
    '5',
    '0x',
    '0xzz',
    '-0x1',
    'now',
    `${HASH}12`,
    '0x02020202020202020202020202',
    {},
    null,
    true,
  ]
  for (const wire of wrong) assert.equal(selector(wire), undefined, JSON.stringify(wire))
  for (const wire of ['0x8000000000000000', '0x10000000000000000']) assert.equal(place(wire), undefined)
})
