import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MemorySample, readMemory, trendOf } from './memory-trend.ts'

const MEGABYTE = 2 ** 20

/** A minute of samples of a heap that is collected every five seconds. */
function breathing(leakMegabytesPerMinute: number, warmUpMegabytes = 0): MemorySample[] {
  return Array.from({ length: 120 }, (_, index) => {
    const seconds = index / 2
    const kept = 80 + Math.min(seconds, 10) * (warmUpMegabytes / 10) + (seconds * leakMegabytesPerMinute) / 60
    const heapBytes = (kept + (seconds % 5) * 12) * MEGABYTE
    return { atMs: seconds * 1_000, heapBytes, externalBytes: 0, residentBytes: 0 }
  })
}

test('a heap that breathes and keeps nothing is flat', () => {
  const { megabytes, megabytesPerMinute, growth } = trendOf(breathing(0), 'heapBytes')
  assert.equal(Math.round(megabytes), 80)
  assert.ok(Math.abs(megabytesPerMinute) < 0.5, `${megabytesPerMinute}`)
  assert.ok(Math.abs(growth) < 0.01)
})

test('what is kept shows through the breathing', () => {
  const { megabytesPerMinute, growth } = trendOf(breathing(60), 'heapBytes')
  assert.ok(Math.abs(megabytesPerMinute - 60) < 6, `${megabytesPerMinute}`)
  assert.ok(growth > 0.25, `${growth}`)
})

test('caches that fill in the first quarter are no leak', () => {
  const { megabytesPerMinute } = trendOf(breathing(0, 100), 'heapBytes')
  assert.ok(Math.abs(megabytesPerMinute) < 0.5, `${megabytesPerMinute}`)
})

test('the heaps of all threads are added up', () => {
  const text =
    'nodejs_heap_size_used_bytes 100\nprocess_thread_heap_bytes{thread="server-0"} 20\nprocess_thread_heap_bytes{thread="engine-0"} 3\nnodejs_external_memory_bytes 7\nprocess_resident_memory_bytes 1e3\n'
  assert.deepEqual(readMemory(text, 5), {
    atMs: 5,
    heapBytes: 123,
    externalBytes: 7,
    residentBytes: 1_000,
  })
})
