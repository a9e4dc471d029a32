import { deepStrictEqual } from 'node:assert'
import { it } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.ts'
import { createLog } from '#platform/log/log.ts'
import { watchClock } from './watch-clock.ts'

it('a wall clock that jumps is told once, with how far and where to', () => {
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
  const told = lines
    .map((line) => JSON.parse(line))
    .map(({ msg, fields }) => [msg.split('.')[0], fields.byMs])
  deepStrictEqual(told, [
    ['The clock of this machine was set back', -12_000],
    ['The clock of this machine was set forward', 12_000],
  ])
})
