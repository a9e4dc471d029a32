import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogFilter } from './log-filter.ts'

const read = (wire: unknown) => LogFilter.schema.safeParse(wire).data
const HASH = `0x${'ab'.repeat(32)}`
const ADDRESS = `0x${'11'.repeat(20)}`

test('omitted members mean the head, any address and any topic', () => {
  const latest = { kind: 'tag', tag: 'latest' }
  const anything = { kind: 'range', fromBlock: latest, toBlock: latest, addresses: [], topics: [] }
  assert.deepEqual(read({}), anything)
  assert.deepEqual(read({ address: null, topics: null, fromBlock: null }), anything)
  assert.deepEqual(read({ address: [] }), anything)
})

test('topics are one, any of several, or any that is there', () => {
  const topic = (digit: string) => `0x${digit.padStart(64, '0')}`
  assert.deepEqual(read({ topics: ['0x1', null, ['0x2', topic('3')], ['0x4', null], [null]] }), undefined)
  assert.deepEqual(read({ topics: ['0x1', null, ['0x2', topic('3')], ['0x4', null]] })?.topics, [
    [topic('1')],
    [],
    [topic('2'), topic('3')],
    [],
  ])
})

test('one block is named by its hash, in either spelling, and then has no range', () => {
  for (const name of ['blockHash', 'blockhash']) {
    const query = read({ [name]: HASH, address: ADDRESS })
    assert.deepEqual(query, { kind: 'block', blockHash: HASH, addresses: [ADDRESS], topics: [] })
    assert.equal(read({ [name]: HASH, toBlock: 'latest' }), undefined)
  }
})

test('contradictory filters are refused', () => {
  const wrong = [
    { foo: 1 },
    { address: 'zz' },
    { address: Array.from({ length: 1_001 }, () => ADDRESS) },
    { fromBlock: '5' },
    { topics: ['zz'] },
    { topics: [[['0x1']]] },
    'x',
    [],
  ]
  for (const wire of wrong) assert.equal(read(wire), undefined, JSON.stringify(wire).slice(0, 80))
})
