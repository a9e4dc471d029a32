import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { EngineMeter } from './engine-meter.ts'

function setUp() {
  const clock = createFakeClock()
  const meter = new EngineMeter(clock)
  const charged: number[] = []
  const charge = (ms: number): void => void charged.push(ms)
  return { clock, meter, charged, charge }
}

test('what runs at once shares the time, and all of them together are charged what has passed', async () => {
  const { clock, meter, charged, charge } = setUp()
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = meter.run(() => one.promise, charge)
  clock.advance(10)
  const second = meter.run(() => other.promise, charge)
  clock.advance(10)
  one.resolve()
  await first
  clock.advance(10)
  other.resolve()
  await second
  assert.deepEqual(charged, [15, 15])
  clock.advance(1_000)
  await meter.run(async () => undefined, charge)
  assert.deepEqual(charged, [15, 15, 0])
})

test('what fails is charged too', async () => {
  const { clock, meter, charged, charge } = setUp()
  const failing = Promise.withResolvers<void>()
  const run = meter.run(() => failing.promise, charge)
  clock.advance(7)
  failing.reject(new Error('given up'))
  await assert.rejects(run, /given up/)
  assert.deepEqual(charged, [7])
})

test('a slow reader of chunks is charged for making them only, and what it leaves is ended', async () => {
  const { clock, meter, charged, charge } = setUp()
  let isEnded = false
  async function* source() {
    try {
      for (;;) {
        clock.advance(3)
        yield 'chunk'
      }
    } finally {
      isEnded = true
    }
  }
  const chunks = meter.chunks(source(), charge)
  await chunks.next()
  clock.advance(1_000)
  await chunks.next()
  await chunks.return()
  assert.deepEqual(charged, [3, 3])
  assert.equal(isEnded, true)
})
