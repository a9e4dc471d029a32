import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { createSeededRandom } from '#platform/random.ts'
import { parseHash } from '#types/hash.ts'
import { FilterCursors } from './filter-cursors.ts'

const mark = (number: number) => ({ number, hash: parseHash(`${number}`.padStart(64, '0')) })

function setUp(maxActive = 10) {
  const clock = createFakeClock()
  return { clock, cursors: new FilterCursors({ maxActive, timeoutMs: 1_000 }, clock, createSeededRandom(1)) }
}

test('a filter tells the way from the head that was last told to the head of now', () => {
  const { cursors } = setUp()
  const id = cursors.create({ kind: 'blocks' }, mark(3))!
  assert.match(id, /^0x[1-9a-f][0-9a-f]{20,31}$/)
  assert.deepEqual(cursors.poll(id, mark(5)), {
    definition: { kind: 'blocks' },
    since: mark(3),
    head: mark(5),
  })
  assert.deepEqual(cursors.poll(id, mark(5))?.since, mark(5))
  assert.deepEqual([cursors.remove(id), cursors.remove(id)], [true, false])
  assert.equal(cursors.poll(id, mark(6)), undefined)
})

test('a filter that nobody asks expires, one that is asked does not', () => {
  const { cursors, clock } = setUp()
  const [asked, silent] = [
    cursors.create({ kind: 'blocks' }, mark(1))!,
    cursors.create({ kind: 'blocks' }, mark(1))!,
  ]
  clock.advance(600)
  assert.deepEqual(cursors.get(asked), { kind: 'blocks' })
  clock.advance(600)
  assert.notEqual(cursors.get(asked), undefined)
  assert.equal(cursors.get(silent), undefined)
  assert.equal(cursors.remove(silent), false)
})

test('no more filters than allowed, and expired ones make room', () => {
  const { cursors, clock } = setUp(2)
  const create = () => cursors.create({ kind: 'blocks' }, mark(1))
  assert.equal([create(), create(), create()].filter((id) => id !== undefined).length, 2)
  clock.advance(1_000)
  assert.notEqual(create(), undefined)
  const { cursors: unlimited } = setUp(0)
  for (let count = 0; count < 20; count++) {
    assert.notEqual(unlimited.create({ kind: 'blocks' }, mark(1)), undefined)
  }
})
