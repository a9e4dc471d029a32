import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { BoundedMap } from './bounded-map.ts'
import { createSeededRandom } from './random.fixture.ts'

test('a full map drops its oldest key', () => {
  const map = new BoundedMap<string, number>(2)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  assert.deepEqual([map.get('a'), map.get('b'), map.get('c')], [undefined, 2, 3])
})

test('a key that is set again becomes the newest', () => {
  const map = new BoundedMap<string, number>(3)
  map.set('a', 1)
  map.set('b', 2)
  map.set('a', 3)
  map.set('c', 4)
  map.set('d', 5)
  assert.deepEqual([map.get('a'), map.get('b')], [3, undefined])
})

test('a map never exceeds its limit, and holds the latest value of every key among its last insertions', () => {
  const seed = randomInt(2 ** 31)
  const random = createSeededRandom(seed)
  for (let run = 0; run < 200; run++) {
    const max = 1 + random.randomBelow(8)
    const map = new BoundedMap<number, number>(max)
    let insertions: { key: number; value: number }[] = []
    for (let step = 0; step < 100; step++) {
      const key = random.randomBelow(12)
      if (random.randomBelow(4) === 0) {
        map.delete(key)
        insertions = insertions.map((each) => (each.key === key ? { key: -1, value: 0 } : each))
      } else {
        map.set(key, step)
        insertions = insertions.map((each) => (each.key === key ? { key: -1, value: 0 } : each))
        insertions = [...insertions, { key, value: step }].slice(-max)
      }
      assert.ok(map.size <= max, `seed ${seed}`)
      for (let each = 0; each < 12; each++) {
        const expected = insertions.find((insertion) => insertion.key === each)?.value
        assert.equal(map.get(each), expected, `seed ${seed}, run ${run}, step ${step}, key ${each}`)
        assert.equal(map.has(each), expected !== undefined)
      }
    }
  }
})
