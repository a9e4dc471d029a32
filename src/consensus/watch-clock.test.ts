import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { watchClock } from './block-times.ts'

test('a wall clock jump is logged once, with distance and direction', () => {
  const clock = createFakeClock()
  const lines: string[] = []
  const log = createLog({ level: 'WARN', destination: { write: (line) => lines.push(line) } })
  const watch = watchClock(clock, log)
  clock.advance(60_000)
  clock.setWall(clock.wallMs() - 12_000)
  clock.advance(60_000)
  clock.setWall(clock.wallMs() + 12_000)
  clock.advance(60_000)
  clock.setWall(clock.wallMs() + 300)
  clock.advance(60_000)
  watch.cancel()
  const told = lines.map((line) => JSON.parse(line)).map(({ msg, fields }) => [msg, fields.byMs])
  deepStrictEqual(told, [
    ['System clock was set', -12_000],
    ['System clock was set', 12_000],
  ])
})
