import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { createBoundedQueue } from './bounded-queue.ts'

test('items leave in the order of arrival, also when the ring wraps and grows', () => {
  const random = createSeededRandom(3)
  const queue = createBoundedQueue<number>({ itemsMax: 1_000 })
  const model: number[] = []
  for (let step = 0; step < 5_000; step += 1) {
    if (random.randomBelow(5) < 3 && queue.push(step)) model.push(step)
    else if (random.randomBelow(2) === 0) assert.equal(queue.shift(), model.shift())
    assert.equal(queue.size, model.length)
  }
  while (model.length > 0) assert.equal(queue.shift(), model.shift())
  assert.equal(queue.shift(), undefined)
})

test('a full queue refuses items and keeps its content', () => {
  const queue = createBoundedQueue<string>({ itemsMax: 2 })
  assert.deepEqual([queue.push('a'), queue.push('b'), queue.push('c')], [true, true, false])
  assert.equal(queue.shift(), 'a')
  assert.equal(queue.push('d'), true)
  assert.equal(queue.size, 2)
})

test('the byte limit applies in addition to the item limit, and taking frees bytes', () => {
  const queue = createBoundedQueue<string>({ itemsMax: 10, bytesMax: 5, sizeOf: (item) => item.length })
  assert.equal(queue.push('abc'), true)
  assert.equal(queue.push('def'), false)
  assert.equal(queue.push('de'), true)
  assert.equal(queue.bytes, 5)
  queue.shift()
  assert.equal(queue.bytes, 2)
  assert.equal(queue.push('toolong'), false)
})

test('waiting takers are served in order, without passing through the queue', async () => {
  const queue = createBoundedQueue<number>({ itemsMax: 1 })
  const taken = Promise.all([queue.take(), queue.take()])
  assert.deepEqual([queue.push(1), queue.push(2), queue.push(3)], [true, true, true])
  assert.deepEqual(await taken, [1, 2])
  assert.equal(await queue.take(), 3)
})

test('an aborted taker takes nothing', async () => {
  const queue = createBoundedQueue<number>({ itemsMax: 1 })
  const leaving = new AbortController()
  const gone = queue.take(leaving.signal)
  const stays = queue.take()
  leaving.abort(new Error('left'))
  await assert.rejects(gone, { message: 'left' })
  queue.push(1)
  assert.equal(await stays, 1)
  await assert.rejects(queue.take(leaving.signal), { message: 'left' })
})

test('a closed queue returns its items, then refuses', async () => {
  const queue = createBoundedQueue<number>({ itemsMax: 2 })
  queue.push(1)
  queue.close()
  assert.equal(queue.push(2), false)
  assert.equal(await queue.take(), 1)
  await assert.rejects(queue.take(), { kind: 'QUEUE_CLOSED' })
})

test('closing the queue rejects waiting takers', async () => {
  const queue = createBoundedQueue<number>({ itemsMax: 2 })
  const waiting = queue.take()
  queue.close()
  await assert.rejects(waiting, { kind: 'QUEUE_CLOSED' })
})
