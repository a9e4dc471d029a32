import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { type HeapWatched, watchHeap } from './heap-watch.ts'

const log = createLog({ level: 'OFF' })
const LIMIT = 1_000

/** Watches a thread that reports this memory use. */
async function isEndedAt(used_heap_size: number, external_memory: number): Promise<boolean> {
  const clock = createFakeClock()
  let isEnded = false
  const heap = { used_heap_size, external_memory, heap_size_limit: LIMIT }
  const thread: HeapWatched = {
    name: 'server-0',
    heapStatistics: () => Promise.resolve(heap as never),
    terminate: async () => {
      isEnded = true
      return {} as never
    },
    exited: new Promise(() => undefined),
  }
  watchHeap(thread, { clock, log }, () => undefined)
  for (let look = 0; look < 3; look++) {
    clock.advance(50)
    await new Promise(setImmediate)
  }
  return isEnded
}

test('a thread is terminated above a quarter of its heap limit, external memory included', async () => {
  assert.equal(await isEndedAt(LIMIT / 4, 0), false)
  assert.equal(await isEndedAt(LIMIT / 4 + 1, 0), true)
  assert.equal(await isEndedAt(100, 151), true)
})
