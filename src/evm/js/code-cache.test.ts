import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodeCache } from './code-cache.ts'

test('the least recently used code is evicted when the bytes do not fit', () => {
  const cache = new CodeCache(10)
  cache.set('a', new Uint8Array(4))
  cache.set('b', new Uint8Array(4))
  cache.get('a')
  cache.set('c', new Uint8Array(4))
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key)?.length),
    [4, undefined, 4],
  )
})

test('code larger than the cache is not kept and evicts nothing', () => {
  const cache = new CodeCache(10)
  cache.set('a', new Uint8Array(4))
  cache.set('b', new Uint8Array(11))
  assert.deepEqual([cache.get('a')?.length, cache.get('b')], [4, undefined])
})
