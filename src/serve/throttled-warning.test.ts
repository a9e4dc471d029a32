import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { keptLog } from './serve.fixture.ts'
import { createThrottledWarning } from './throttled-warning.ts'

test('a flood becomes one line each ten seconds, which counts the others', () => {
  const clock = createFakeClock()
  const { log, lines } = keptLog()
  const warn = createThrottledWarning(log, clock, 'Too many.')
  for (let time = 0; time < 100; time += 1) {
    warn({ time })
    clock.advance(100)
  }
  assert.equal(lines.length, 1)
  warn({ time: 'later' })
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /Too many\. time=later suppressed=99/)
})
