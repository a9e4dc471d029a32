import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MemorySample, readMemory, trendOf } from './memory-trend.ts'

const MEGABYTE = 2 ** 20

/** One minute of samples of a heap that is collected every five seconds. */
function breathing(leakMegabytesPerMinute: number, warmUpMegabytes = 0): MemorySample[] {
  return Array.from({ length: 120 }, (_, index) => {
    const seconds = index / 2
    const kept = 80 + Math.min(seconds, 10) * (warmUpMegabytes / 10) + (seconds * leakMegabytesPerMinute) / 60
    const heap = (kept + (seconds % 5) * 12) * MEGABYTE
    return { atMs: seconds * 1_000, bytes: { heap } }
  })
}

test('a heap that breathes and keeps nothing is flat', () => {
  const { megabytes, megabytesPerMinute, growth } = trendOf(breathing(0), 'heap')
  assert.equal(Math.round(megabytes), 80)
  assert.ok(Math.abs(megabytesPerMinute) < 0.5, `${megabytesPerMinute}`)
  assert.ok(Math.abs(growth) < 0.01)
})

test('what is kept shows through the breathing', () => {
  const { megabytesPerMinute, growth } = trendOf(breathing(60), 'heap')
  assert.ok(Math.abs(megabytesPerMinute - 60) < 6, `${megabytesPerMinute}`)
  assert.ok(growth > 0.25, `${growth}`)
})

test('caches that fill in the first quarter are no leak', () => {
  const { megabytesPerMinute } = trendOf(breathing(0, 100), 'heap')
  assert.ok(Math.abs(megabytesPerMinute) < 0.5, `${megabytesPerMinute}`)
})

test('the heaps of all threads are added up', () => {
  const text = 'nodejs_external_memory_bytes 7\nprocess_resident_memory_bytes 1e3\n'
  assert.deepEqual(readMemory({ main: 100, 'server-0': 20 }, text, 5), {
    atMs: 5,
    bytes: { heap: 120, external: 7, resident: 1_000, main: 100, 'server-0': 20 },
  })
})
