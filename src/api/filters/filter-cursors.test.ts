import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LATEST } from '#api/schema/values.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { type FilterDefinition, type FilterPlace, packFilter, unpackFilter } from './filter.ts'
import { FilterCursors } from './filter-cursors.ts'

const BLOCKS = packFilter({ kind: 'blocks' })

const [ALICE, BOB, CAROL] = ['user alice', 'user bob', 'address 10.0.0.3'] as const

const mark = (number: number) => ({
  head: { number, hash: parseHash(`${number}`.padStart(64, '0')) },
  additions: number,
})

function setUp(maxActive = 10) {
  const clock = createFakeClock()
  let place: FilterPlace = mark(0)
  const parts = { clock, random: createSeededRandom(1), now: () => place }
  const real = new FilterCursors({ maxActive, timeoutMs: 1_000 }, parts)
  const cursors = {
    create: (definition: FilterDefinition, now: FilterPlace, owner: string) => {
      place = now
      return real.create(definition, owner)
    },
    poll: (id: string, now: FilterPlace) => {
      place = now
      return real.poll(id)
    },
    get: (id: string) => real.get(id),
    remove: (id: string) => real.remove(id),
  }
  return { clock, cursors }
}

test('a filter returns the changes from the head returned last to the current head', () => {
  const { cursors } = setUp()
  const id = cursors.create(BLOCKS, mark(3), ALICE)!
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

test('a filter that is not polled expires, and a polled one does not', () => {
  const { cursors, clock } = setUp()
  const [asked, silent] = [cursors.create(BLOCKS, mark(1), ALICE)!, cursors.create(BLOCKS, mark(1), ALICE)!]
  clock.advance(600)
  assert.equal(cursors.get(asked), BLOCKS)
  clock.advance(600)
  assert.notEqual(cursors.get(asked), undefined)
  assert.equal(cursors.get(silent), undefined)
  assert.equal(cursors.remove(silent), false)
})

test('no more filters than allowed, and expired ones make room', () => {
  const { cursors, clock } = setUp(2)
  const create = () => cursors.create(BLOCKS, mark(1), ALICE)
  assert.equal([create(), create(), create()].filter((id) => id !== undefined).length, 2)
  clock.advance(1_000)
  assert.notEqual(create(), undefined)
  const { cursors: unlimited } = setUp(0)
  for (let count = 0; count < 20; count++) {
    assert.notEqual(unlimited.create(BLOCKS, mark(1), ALICE), undefined)
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

test('the total size of filters is bounded, and removed filters free space', () => {
  const { cursors, clock } = setUp(1_000)
  const create = () => cursors.create(LARGEST, mark(1), ALICE)
  const ids = Array.from({ length: 1_000 }, create).filter((id) => id !== undefined)
  const bytes = ids.length * LARGEST.length
  assert.ok(bytes > 12e6 && bytes < 17e6, `${ids.length} filters of ${LARGEST.length} characters`)
  assert.notEqual(cursors.create(BLOCKS, mark(1), ALICE), undefined, 'small ones still fit')
  assert.equal(cursors.remove(ids[0]!), true)
  assert.deepEqual([create() !== undefined, create()], [true, undefined])
  clock.advance(1_000)
  assert.equal(Array.from({ length: 1_000 }, create).filter((id) => id !== undefined).length, ids.length)
})

test('one caller may hold every filter until others ask; then each gets the same share', () => {
  const { cursors } = setUp(6)
  const create = (owner: string) => cursors.create(BLOCKS, mark(1), owner)
  const ids = Array.from({ length: 6 }, () => create(ALICE)!)
  assert.equal(create(ALICE), undefined)
  assert.notEqual(cursors.get(ids[0]!), undefined)
  const bobs = [create(BOB), create(BOB), create(BOB), create(BOB)]
  assert.deepEqual(
    bobs.map((id) => id !== undefined),
    [true, true, true, false],
  )
  // Alice loses the filters that she polled longest ago.
  const kept = ids.map((id) => cursors.get(id) !== undefined)
  assert.deepEqual(kept, [true, false, false, false, true, true])
  assert.deepEqual([create(CAROL), create(CAROL), create(CAROL)].filter((id) => id === undefined).length, 1)
  assert.equal(create(ALICE), undefined)
})

test('callers whose shares differ by one take no filters from each other', () => {
  const { cursors } = setUp(3)
  const create = (owner: string) => cursors.create(BLOCKS, mark(1), owner) !== undefined
  assert.deepEqual([ALICE, ALICE, ALICE, BOB, BOB, ALICE].map(create), [true, true, true, true, false, false])
})

test('the filters of one caller leave room for other callers', () => {
  const { cursors } = setUp(1_000)
  const create = (owner: string) => cursors.create(LARGEST, mark(1), owner)
  const ids = Array.from({ length: 1_000 }, () => create(ALICE)).filter((id) => id !== undefined)
  const bobs = Array.from({ length: 1_000 }, () => create(BOB)).filter((id) => id !== undefined)
  const left = ids.filter((id) => cursors.get(id) !== undefined)
  assert.ok(Math.abs(bobs.length - left.length) <= 1, `${bobs.length} and ${left.length} filters`)
})

test('many expired filters are removed a few at a time, and make room at once', () => {
  const { cursors, clock } = setUp(1_000)
  const create = () => cursors.create(BLOCKS, mark(1), ALICE)
  const ids = Array.from({ length: 1_000 }, create)
  clock.advance(1_000)
  assert.ok(Array.from({ length: 1_000 }, create).every((id) => id !== undefined))
  assert.ok(ids.every((id) => cursors.get(id!) === undefined))
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
