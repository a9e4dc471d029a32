import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { Deadlines, type Expirable } from './deadlines.ts'

function scene() {
  const clock = createFakeClock()
  const deadlines = new Deadlines(clock, 100)
  const expired: string[] = []
  const item = (name: string): Expirable => ({ dueMs: 0, onDeadline: () => void expired.push(name) })
  return { clock, deadlines, expired, item }
}

test('each has its own time, in whatever order they end', () => {
  const { clock, deadlines, expired, item } = scene()
  const [a, b, c] = [item('a'), item('b'), item('c')]
  deadlines.watch(a)
  clock.advance(40)
  deadlines.watch(b)
  deadlines.watch(c)
  deadlines.forget(b)
  clock.advance(59)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
  clock.advance(40)
  assert.deepEqual(expired, ['a', 'c'])
  assert.equal(clock.pendingTimers, 0)
})

test('watching again starts the time again', () => {
  const { clock, deadlines, expired, item } = scene()
  const a = item('a')
  deadlines.watch(a)
  clock.advance(99)
  deadlines.watch(a)
  clock.advance(99)
  assert.deepEqual(expired, [])
  clock.advance(1)
  assert.deepEqual(expired, ['a'])
})

test('a request that starts another one at its end does not disturb the rest', () => {
  const { clock, deadlines, expired, item } = scene()
  const next = item('next')
  deadlines.watch({ dueMs: 0, onDeadline: () => deadlines.watch(next) })
  clock.advance(100)
  assert.equal(clock.pendingTimers, 1)
  clock.advance(100)
  assert.deepEqual(expired, ['next'])
})
