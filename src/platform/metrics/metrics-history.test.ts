import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createMetrics } from './metrics.ts'
import { MetricsHistory, SAMPLE_INTERVAL_MS, SAMPLES_MAX, type SeriesRow } from './metrics-history.ts'

const HEIGHT = { kind: 'gauge', category: 'ethereum', name: 'height', help: 'x' } as const
const GAS = { kind: 'counter', category: 'blockchain', name: 'gas', help: 'x', labels: ['by'] } as const
const TIME = { kind: 'summary', category: 'consensus', name: 'time', help: 'x' } as const
const ROWS: readonly SeriesRow[] = [
  { title: 'Height', unit: 'count', category: 'ethereum', name: 'height' },
  { title: 'Gas', unit: 'per second', category: 'blockchain', name: 'gas' },
  { title: 'Time', unit: 'seconds', category: 'consensus', name: 'time', quantile: 0.5 },
  { title: 'Absent', unit: 'count', category: 'constructor', name: '__proto__' },
]

function begin() {
  const clock = createFakeClock()
  const metrics = createMetrics({ prefix: '', clock, onSourceError: assert.fail })
  const history = new MetricsHistory(ROWS, metrics, clock, (error) => assert.ifError(error))
  return { clock, metrics, history }
}

test('samples have values, rates of counters, quantiles, and gaps for absent metrics', async () => {
  const { clock, metrics, history } = begin()
  metrics.gauge(HEIGHT).set(7)
  const gas = metrics.counter<'by'>(GAS)
  const time = metrics.summary(TIME)
  gas.add(5, { by: 'us' })
  time.observe(2)
  await history.sample()
  clock.advance(SAMPLE_INTERVAL_MS)
  gas.add(20, { by: 'us' })
  gas.add(10, { by: 'them' })
  await history.sample()
  clock.advance(1_000)
  const none = Number.NaN
  assert.deepEqual(history.read(), {
    agesMs: [SAMPLE_INTERVAL_MS + 1_000, 1_000],
    values: [
      [7, 7],
      [none, 3],
      [2, 2],
      [none, none],
    ],
  })
})

test('an hour is kept, in memory that does not grow, and the oldest samples leave', async () => {
  const { clock, metrics, history } = begin()
  const height = metrics.gauge(HEIGHT)
  const bytes = history.bytes
  assert.equal(bytes, SAMPLES_MAX * (ROWS.length + 1) * 8)
  for (let at = 0; at < 2 * SAMPLES_MAX + 5; at += 1) {
    height.set(at)
    await history.sample()
    clock.advance(SAMPLE_INTERVAL_MS)
  }
  const { agesMs, values } = history.read()
  assert.equal(history.bytes, bytes)
  assert.deepEqual([agesMs.length, agesMs[0], agesMs.at(-1)], [SAMPLES_MAX, 3_610_000, SAMPLE_INTERVAL_MS])
  assert.deepEqual([values[0]![0], values[0]!.at(-1)], [SAMPLES_MAX + 5, 2 * SAMPLES_MAX + 4])
})

test('a thread that does not answer delays no later sample twice', async () => {
  const clock = createFakeClock()
  const waiting = Promise.withResolvers<[]>()
  let asked = 0
  const merged = (): Promise<[]> => {
    asked += 1
    return waiting.promise
  }
  const errors: unknown[] = []
  const history = new MetricsHistory(ROWS, { merged }, clock, (error) => errors.push(error))
  const stop = history.start()
  clock.advance(10 * SAMPLE_INTERVAL_MS)
  assert.equal(asked, 1)
  waiting.reject(new Error('gone'))
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(errors.length, 1)
  stop()
  clock.advance(10 * SAMPLE_INTERVAL_MS)
  assert.equal(asked, 1)
})
