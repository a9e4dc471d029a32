import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TraceEventQueue } from './event-queue.ts'

const CHUNK = 64 * 1024

function full(): never {
  throw new Error('full')
}

test('added events are taken in order, compressed or not', () => {
  const queue = new TraceEventQueue(2 ** 30, full)
  const chunks = Array.from({ length: 300 }, (_, index) => Buffer.alloc(CHUNK - (index % 7), index % 251))
  for (const chunk of chunks) {
    const reused = Buffer.from(chunk)
    queue.add(reused)
    reused.fill(0)
  }
  assert.equal(Buffer.compare(Buffer.concat([...queue.take()]), Buffer.concat(chunks)), 0)
  assert.deepEqual([...queue.take()], [])
})

test('an event longer than a block stays complete', () => {
  const queue = new TraceEventQueue(2 ** 30, full)
  const long = Buffer.alloc(10 * 1024 * 1024, 1)
  queue.add(Uint8Array.of(1, 2))
  queue.add(long)
  queue.add(Uint8Array.of(3))
  assert.deepEqual(
    [...queue.take()].map(({ length }) => length),
    [2, long.length, 1],
  )
})

test('repetitive events take a small part of the limit, and more than the limit is refused', () => {
  const limit = 16 * 1024 * 1024
  const queue = new TraceEventQueue(limit, full)
  for (let bytes = 0; bytes < 3 * limit; bytes += CHUNK) queue.add(Buffer.alloc(CHUNK, 7))
  const plain = new TraceEventQueue(1024 * 1024, full)
  assert.throws(() => {
    for (let bytes = 0; bytes < 2 * 1024 * 1024; bytes += CHUNK) plain.add(Buffer.alloc(CHUNK, 7))
  }, /full/)
})
