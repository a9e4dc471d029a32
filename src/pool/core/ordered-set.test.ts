import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { OrderedSet } from './ordered-set.ts'

const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)

test(`the set equals a sorted list through thousands of random changes (CAIRN_SEED=${SEED})`, () => {
  const random = createSeededRandom(SEED)
  const set = new OrderedSet<number>((a, b) => a - b)
  const inside = new Set<number>()
  for (let change = 0; change < 5_000; change++) {
    const item = random.randomBelow(2_000)
    if (inside.delete(item)) set.delete(item)
    else {
      inside.add(item)
      set.add(item)
    }
    const asked = random.randomBelow(2_000)
    if (change % 50 > 0) continue
    const sorted = [...inside].sort((a, b) => a - b)
    assert.deepEqual([...set], sorted)
    assert.equal(set.size, sorted.length)
    assert.deepEqual([set.first(), set.last()], [sorted[0], sorted.at(-1)])
    assert.equal(
      set.after(asked),
      sorted.find((other) => other > asked),
    )
    assert.equal(
      set.floor(asked),
      sorted.findLast((other) => other <= asked),
    )
  }
})

test('an empty set has no items, and adding twice or deleting an absent item throws', () => {
  const set = new OrderedSet<number>((a, b) => a - b)
  assert.deepEqual(
    [set.first(), set.last(), set.after(1), set.after(undefined), set.floor(1)],
    new Array<undefined>(5).fill(undefined),
  )
  assert.throws(() => set.delete(1), /is inside/)
  set.add(1)
  assert.throws(() => set.add(1), /added once/)
  assert.throws(() => set.delete(2), /is inside/)
})
