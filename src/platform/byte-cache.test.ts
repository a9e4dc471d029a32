import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteCache } from './byte-cache.ts'

test('the values used last stay, up to the sum of bytes', () => {
  const cache = new ByteCache<string, number>(100)
  for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) cache.set(key, index, 25)
  assert.equal(cache.get('a'), 0)
  cache.set('e', 4, 25)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)),
    [0, undefined, 2, 3, 4],
  )
})

test('a large value is not kept, and an existing value is not replaced', () => {
  const cache = new ByteCache<string, number>(100)
  cache.set('large', 1, 26)
  assert.equal(cache.get('large'), undefined)
  cache.set('a', 1, 10)
  cache.set('a', 2, 10)
  assert.equal(cache.get('a'), 1)
})

test('a new value finds room even if every entry was used', () => {
  const cache = new ByteCache<string, number>(100)
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 1, 25)
  for (const key of ['a', 'b', 'c', 'd']) cache.get(key)
  cache.set('e', 2, 25)
  assert.deepEqual(
    ['a', 'b', 'c', 'd', 'e'].map((key) => cache.get(key)),
    [undefined, 1, 1, 1, 2],
  )
})
