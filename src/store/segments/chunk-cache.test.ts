import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChunkCache } from './chunk-cache.ts'
import type { SegmentList } from './segment-layout.ts'

function cacheOf(maxBytes: number) {
  const cache = new ChunkCache(maxBytes)
  const decoded: string[] = []
  const read = (list: SegmentList, key: string): void => {
    const bytes = cache.get(list, key, () => {
      decoded.push(key)
      return Buffer.from(key)
    })
    assert.equal(String(bytes), key)
  }
  return { read, decoded }
}

test('a chunk is cached when it is read for the second time', () => {
  const { read, decoded } = cacheOf(100)
  for (const key of ['a', 'b', 'a', 'b', 'a', 'b', 'a']) read('contents', key)
  assert.deepEqual(decoded, ['a', 'b', 'a', 'b'])
})

test('a scan decompresses each chunk once, although other lists are read in between', () => {
  const { read, decoded } = cacheOf(100)
  for (let block = 0; block < 12; block++) {
    read('headers', `h${Math.floor(block / 6)}`)
    read('dictionary', 'd')
    read('contents', `c${Math.floor(block / 3)}`)
  }
  assert.deepEqual(decoded, ['h0', 'd', 'c0', 'c1', 'h1', 'c2', 'c3'])
})

test('chunks that are read once evict none that are read often', () => {
  const { read, decoded } = cacheOf(8)
  for (let round = 0; round < 100; round++) {
    read('transaction', 'p')
    read('transaction', 'q')
    read('contents', `c${round}`)
  }
  assert.equal(decoded.filter((key) => key === 'p').length, 2)
  assert.equal(decoded.filter((key) => key === 'q').length, 2)
})

test('a chunk of more than a quarter of the cache is not kept', () => {
  const { read, decoded } = cacheOf(8)
  for (let round = 0; round < 3; round++) read('contents', 'large')
  assert.equal(decoded.length, 3)
})
