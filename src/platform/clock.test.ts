import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Fault } from '#types/fault.ts'
import { deadlineSignal, originMs, systemClock } from './clock.ts'
import { createFakeClock } from './fake-clock.fixture.ts'

test('the system clock fires a timer but not a cancelled one', async () => {
  const fired: string[] = []
  await new Promise<void>((resolve) => {
    systemClock.after(0, () => fired.push('cancelled')).cancel()
    systemClock.after(1, resolve)
  })
  assert.deepEqual(fired, [])
})

test('the system clock accepts a delay beyond 31 bits without firing at once', async () => {
  let fired = false
  const timer = systemClock.after(2 ** 40, () => {
    fired = true
  })
  await new Promise<void>((resolve) => systemClock.after(2, resolve))
  timer.cancel()
  assert.equal(fired, false)
})

test('the monotonic clock has the same origin in a worker', async () => {
  const source = `
    const { parentPort } = require('node:worker_threads')
    import(${JSON.stringify(import.meta.resolve('./clock.ts'))})
      .then(({ systemClock }) => parentPort.postMessage(systemClock.monotonicMs()))`
  const beforeMs = systemClock.monotonicMs()
  const worker = new Worker(source, { eval: true })
  const thereMs = await new Promise<number>((resolve) => worker.once('message', resolve))
  const afterMs = systemClock.monotonicMs()
  assert.ok(beforeMs <= thereMs && thereMs <= afterMs, `${beforeMs} <= ${thereMs} <= ${afterMs}`)
})

test('a pause between the two readings of the clocks does not move the origin', () => {
  for (const pausedReading of [1, 2, 3, 4, 5]) {
    let nowMs = 5_000
    let readings = 0
    const read = (): number => {
      readings++
      nowMs += readings === pausedReading ? 4 : 0.001
      return nowMs
    }
    const origin = originMs({ threadMs: () => read() - 1_000, machineMs: read })
    assert.ok(Math.abs(origin - 1_000) < 0.01, `${origin} after a pause before reading ${pausedReading}`)
  }
})

test('the origin of a machine whose every reading is slow comes from the narrowest pair', () => {
  let nowMs = 0
  let readings = 0
  const read = (): number => {
    readings++
    nowMs += readings > 150 && readings < 154 ? 0.1 : 3
    return nowMs
  }
  const origin = originMs({ threadMs: read, machineMs: read })
  assert.ok(origin < 0.2, `${origin}`)
})

test('a timer with a delay that is not a number is a bug', () => {
  assert.throws(() => systemClock.after(Number.NaN, () => undefined), { name: 'AssertionFailure' })
  assert.throws(() => systemClock.after(Number.POSITIVE_INFINITY, () => undefined), {
    name: 'AssertionFailure',
  })
})

test('a timer whose deadline has passed fires in the next turn', async () => {
  const deadlineMs = systemClock.monotonicMs() - 5
  let hasFired = false
  const fired = new Promise<void>((resolve) => {
    systemClock.after(deadlineMs - systemClock.monotonicMs(), () => {
      hasFired = true
      resolve()
    })
  })
  assert.equal(hasFired, false)
  await fired
  const clock = createFakeClock()
  clock.after(-5, () => {
    hasFired = false
  })
  clock.advance(0)
  assert.equal(hasFired, false)
})

test('a deadline signal aborts with a Fault at its deadline', () => {
  const clock = createFakeClock()
  const signal = deadlineSignal(clock, 500)
  clock.advance(499)
  assert.equal(signal.aborted, false)
  clock.advance(1)
  assert.ok(signal.reason instanceof Fault)
  assert.equal(signal.reason.kind, 'DEADLINE_EXCEEDED')
  assert.equal(signal.reason.message, 'The work did not finish within its deadline of 500 ms.')
})

test("a deadline signal aborts with its parent's reason", () => {
  const clock = createFakeClock()
  const parent = new AbortController()
  const signal = deadlineSignal(clock, 500, parent.signal)
  parent.abort('left')
  assert.equal(signal.reason, 'left')
  assert.equal(clock.pendingTimers, 0)
  assert.equal(deadlineSignal(clock, 500, parent.signal).reason, 'left')
  assert.equal(clock.pendingTimers, 0)
})

test('a cleared deadline signal leaves no timer and never aborts', () => {
  const clock = createFakeClock()
  const parent = new AbortController()
  const signal = deadlineSignal(clock, 500, parent.signal)
  signal.clear()
  parent.abort()
  clock.advance(1_000)
  assert.equal(signal.aborted, false)
  assert.equal(clock.pendingTimers, 0)
})
