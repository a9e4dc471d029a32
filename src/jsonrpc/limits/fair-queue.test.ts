import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

const always = (): boolean => true

function takeAll(queue: FairQueue<number>, may = always as (owner: string) => boolean): number[] {
  const items: number[] = []
  for (let next = queue.take(may); next !== undefined; next = queue.take(may)) items.push(next.item)
  return items
}

test('owners take turns, each in its own order', () => {
  const queue = new FairQueue<number>()
  for (const item of [1, 2, 3, 4]) queue.push('flood', item)
  queue.push('quiet', 10)
  queue.push('other', 20)
  queue.push('quiet', 11)
  assert.deepEqual([queue.size, queue.sizeOf('flood'), queue.sizeOf('nobody')], [7, 4, 0])
  assert.deepEqual(takeAll(queue), [1, 10, 20, 2, 11, 3, 4])
  assert.equal(queue.size, 0)
})

test('an owner that must wait is skipped and keeps its turn', () => {
  const queue = new FairQueue<number>()
  queue.push('flood', 1)
  queue.push('quiet', 10)
  assert.deepEqual(
    takeAll(queue, (owner) => owner === 'quiet'),
    [10],
  )
  assert.deepEqual(takeAll(queue), [1])
})

test('an abandoned entry is removed from any position, once', () => {
  const queue = new FairQueue<number>()
  const leave = queue.push('a', 1)
  queue.push('a', 2)
  leave()
  leave()
  assert.equal(queue.size, 1)
  assert.deepEqual(takeAll(queue), [2])
  leave()
  assert.equal(queue.size, 0)
})
