import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { createSeededRandom } from '#platform/random.ts'
import { LATEST } from '#rpc/schema/block-selector.ts'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { packFilter, unpackFilter } from './filter.ts'
import { FilterCursors } from './filter-cursors.ts'

const BLOCKS = packFilter({ kind: 'blocks' })

const mark = (number: number) => ({
  head: { number, hash: parseHash(`${number}`.padStart(64, '0')) },
  additions: number,
})

function setUp(maxActive = 10) {
  const clock = createFakeClock()
  return { clock, cursors: new FilterCursors({ maxActive, timeoutMs: 1_000 }, clock, createSeededRandom(1)) }
}

test('a filter tells the way from the head that was last told to the head of now', () => {
  const { cursors } = setUp()
  const id = cursors.create(BLOCKS, mark(3))!
  assert.match(id, /^0x[1-9a-f][0-9a-f]{20,31}$/)
  assert.deepEqual(cursors.poll(id, mark(5)), {
    definition: BLOCKS,
    since: mark(3),
    now: mark(5),
  })
  assert.deepEqual(cursors.poll(id, mark(5))?.since, mark(5))
  assert.deepEqual([cursors.remove(id), cursors.remove(id)], [true, false])
  assert.equal(cursors.poll(id, mark(6)), undefined)
})

test('a filter that nobody asks expires, one that is asked does not', () => {
  const { cursors, clock } = setUp()
  const [asked, silent] = [cursors.create(BLOCKS, mark(1))!, cursors.create(BLOCKS, mark(1))!]
  clock.advance(600)
  assert.equal(cursors.get(asked), BLOCKS)
  clock.advance(600)
  assert.notEqual(cursors.get(asked), undefined)
  assert.equal(cursors.get(silent), undefined)
  assert.equal(cursors.remove(silent), false)
})

test('no more filters than allowed, and expired ones make room', () => {
  const { cursors, clock } = setUp(2)
  const create = () => cursors.create(BLOCKS, mark(1))
  assert.equal([create(), create(), create()].filter((id) => id !== undefined).length, 2)
  clock.advance(1_000)
  assert.notEqual(create(), undefined)
  const { cursors: unlimited } = setUp(0)
  for (let count = 0; count < 20; count++) {
    assert.notEqual(unlimited.create(BLOCKS, mark(1)), undefined)
  }
})

const hash = (seed: number) => parseHash(seed.toString(16).padStart(64, '0'))

/** As many values as a request may name. */
const LARGEST = packFilter({
  kind: 'logs',
  query: {
    kind: 'range',
    fromBlock: { kind: 'number', number: 2n ** 60n },
    toBlock: LATEST,
    addresses: Array.from({ length: 1_000 }, (_, seed) => parseAddress(seed.toString(16).padStart(40, '0'))),
    topics: Array.from({ length: 4 }, () => Array.from({ length: 1_000 }, (_, seed) => hash(seed))),
  },
})

test('what filters take together is bounded; those that go make room', () => {
  const { cursors, clock } = setUp(1_000)
  const create = () => cursors.create(LARGEST, mark(1))
  const ids = Array.from({ length: 1_000 }, create).filter((id) => id !== undefined)
  const bytes = ids.length * LARGEST.length
  assert.ok(bytes > 12e6 && bytes < 17e6, `${ids.length} filters of ${LARGEST.length} characters`)
  assert.notEqual(cursors.create(BLOCKS, mark(1)), undefined, 'small ones still fit')
  assert.equal(cursors.remove(ids[0]!), true)
  assert.deepEqual([create() !== undefined, create()], [true, undefined])
  clock.advance(1_000)
  assert.equal(Array.from({ length: 1_000 }, create).filter((id) => id !== undefined).length, ids.length)
})

test('a definition is read as it was written', () => {
  const watched = unpackFilter(LARGEST)
  assert.equal(watched.kind, 'logs')
  assert.equal(packFilter(watched), LARGEST)
  assert.deepEqual(watched.query.kind === 'range' && watched.query.fromBlock, {
    kind: 'number',
    number: 2n ** 60n,
  })
})
