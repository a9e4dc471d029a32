import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from './fake-clock.fixture.ts'

test('timers run in order of due time, then of creation, each at its own time', () => {
  const clock = createFakeClock()
  const seen: string[] = []
  const note = (name: string) => () => void seen.push(`${name}@${clock.monotonicMs()}`)
  clock.after(20, note('c'))
  clock.after(10, note('a'))
  clock.after(10, note('b'))
  clock.after(31, note('late'))
  clock.advance(30)
  assert.deepEqual(seen, ['a@10', 'b@10', 'c@20'])
  assert.equal(clock.monotonicMs(), 30)
  assert.equal(clock.pendingTimers, 1)
})

test('a timer started by a timer runs within the same advance when it is due', () => {
  const clock = createFakeClock()
  let firedAtMs = 0
  clock.after(10, () => {
    clock.after(5, () => {
      firedAtMs = clock.monotonicMs()
    })
  })
  clock.advance(20)
  assert.equal(firedAtMs, 15)
})

test('a repeating timer fires each period until it is cancelled, also from within', () => {
  const clock = createFakeClock()
  let count = 0
  const timer = clock.every(10, () => {
    count += 1
    if (count === 3) timer.cancel()
  })
  clock.advance(100)
  assert.equal(count, 3)
  assert.equal(clock.pendingTimers, 0)
})

test('setting the wall clock moves neither monotonic time nor timers', () => {
  const clock = createFakeClock(1_000)
  let fired = false
  clock.after(10, () => {
    fired = true
  })
  clock.setWall(5_000_000)
  assert.equal(fired, false)
  assert.equal(clock.monotonicMs(), 0)
  clock.advance(10)
  assert.equal(clock.wallMs(), 5_000_010)
  assert.equal(fired, true)
})
