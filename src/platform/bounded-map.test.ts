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

test('a key that is set again becomes the newest and displaces no other', () => {
  const map = new BoundedMap<string, number>(3)
  map.set('a', 1)
  map.set('b', 2)
  for (let time = 0; time < 10; time++) map.set('a', time)
  map.set('c', 4)
  assert.deepEqual(map.values(), [2, 9, 4])
  map.set('d', 5)
  assert.deepEqual([map.get('a'), map.get('b')], [9, undefined])
})

test('a map behaves like a list of its keys in the order of their last insertion', (t) => {
  const seed = randomInt(2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const random = createSeededRandom(seed)
  for (let run = 0; run < 200; run++) {
    const max = 1 + random.randomBelow(8)
    const map = new BoundedMap<number, number>(max)
    let model: { readonly key: number; readonly value: number }[] = []
    for (let step = 0; step < 100; step++) {
      const key = random.randomBelow(12)
      model = model.filter((each) => each.key !== key)
      if (random.randomBelow(4) === 0) {
        map.delete(key)
      } else {
        map.set(key, step)
        model = [...model, { key, value: step }].slice(-max)
      }
      const where = `seed ${seed}, run ${run}, step ${step}`
      assert.equal(map.size, model.length, where)
      assert.deepEqual(
        map.values(),
        model.map(({ value }) => value),
        where,
      )
      for (let each = 0; each < 12; each++) {
        const expected = model.find((entry) => entry.key === each)?.value
        assert.equal(map.get(each), expected, where)
        assert.equal(map.has(each), expected !== undefined, where)
      }
    }
  }
})
