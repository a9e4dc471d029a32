import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { type HeapWatched, watchHeap } from './heap-watch.ts'

const log = createLog({ level: 'OFF' })
const LIMIT = 1_000

/** Watches a thread that reports this memory use and works this much between two looks. Returns the number of questions. */
async function watch(
  used_heap_size: number,
  external_memory: number,
  { workMs = 50, looks = 3 } = {},
): Promise<{ readonly isEnded: boolean; readonly asked: number }> {
  const clock = createFakeClock()
  let isEnded = false
  let asked = 0
  let workedMs = 0
  const heap = { used_heap_size, external_memory, heap_size_limit: LIMIT }
  const thread: HeapWatched = {
    name: 'server-0',
    workedMs: () => workedMs,
    heapStatistics: () => {
      asked++
      return Promise.resolve(heap as never)
    },
    terminate: async () => {
      isEnded = true
      return {} as never
    },
    exited: new Promise(() => undefined),
  }
  watchHeap(thread, { clock, log }, () => undefined)
  for (let look = 0; look < looks; look++) {
    workedMs += workMs
    clock.advance(50)
    await new Promise(setImmediate)
  }
  return { isEnded, asked }
}

async function isEndedAt(used: number, external: number, workMs?: number): Promise<boolean> {
  const { isEnded } = await watch(used, external, workMs === undefined ? {} : { workMs, looks: 30 })
  return isEnded
}

test('a thread is terminated above a quarter of its heap limit, external memory included', async () => {
  assert.equal(await isEndedAt(LIMIT / 4, 0), false)
  assert.equal(await isEndedAt(LIMIT / 4 + 1, 0), true)
  assert.equal(await isEndedAt(100, 151), true)
})

test('a busy thread is measured twenty times a second, an idle one once', async () => {
  const looks = 60
  assert.equal((await watch(0, 0, { looks })).asked, looks)
  assert.equal((await watch(0, 0, { looks, workMs: 0.1 })).asked, 3)
})

test('an idle thread that received too much memory is terminated as well', async () => {
  assert.equal(await isEndedAt(100, 151, 0), true)
})
