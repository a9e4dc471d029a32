import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { SERVE_PROBLEMS } from './log-problems.ts'
import { keptLog } from './serve.fixture.ts'
import { createThrottledWarning } from './throttled-warning.ts'

test('a flood becomes one line every ten seconds, with the number of suppressed ones', () => {
  const clock = createFakeClock()
  const { log, lines } = keptLog()
  const warn = createThrottledWarning(log, clock, SERVE_PROBLEMS.connectionOverLimit)
  for (let time = 0; time < 100; time += 1) {
    warn({ time })
    clock.advance(100)
  }
  assert.equal(lines.length, 1)
  warn({ time: 'later' })
  assert.equal(lines.length, 2)
  assert.match(lines[1]!, /Closed a connection over the limit time=later suppressed=99/)
})
