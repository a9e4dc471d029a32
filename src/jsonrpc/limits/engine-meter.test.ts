import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { EngineMeter } from './engine-meter.ts'

function setUp() {
  const clock = createFakeClock()
  const meter = new EngineMeter(clock)
  const charged: number[] = []
  const charge = (ms: number): void => void charged.push(ms)
  return { clock, meter, charged, charge }
}

test('parallel calls share the time and are charged the elapsed time in total', async () => {
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

test('a failing call is charged too', async () => {
  const { clock, meter, charged, charge } = setUp()
  const failing = Promise.withResolvers<void>()
  const run = meter.run(() => failing.promise, charge)
  clock.advance(7)
  failing.reject(new Error('given up'))
  await assert.rejects(run, /given up/)
  assert.deepEqual(charged, [7])
})

test('a slow reader is only charged for producing chunks, and an abandoned stream ends', async () => {
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
  const chunks = await meter.run(async () => source(), charge)
  await chunks.next()
  clock.advance(1_000)
  await chunks.next()
  await chunks.return()
  assert.deepEqual(charged, [0, 3, 3])
  assert.equal(isEnded, true)
})
