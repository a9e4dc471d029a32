import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { SendingTurns } from './sending-turns.ts'

test('turns follow each other, also if one is never ended', async () => {
  const clock = createFakeClock(0)
  const turns = new SendingTurns(clock)
  const begun: number[] = []
  for (let asked = 0; asked < 3; asked++) void turns.take().then((turn) => begun.push(turn))
  await nextTurn()
  deepEqual(begun, [1])
  turns.end(1)
  // Ended twice, and before it began.
  turns.end(1)
  turns.end(3)
  await nextTurn()
  deepEqual(begun, [1, 2])
  clock.advance(30_000)
  await nextTurn()
  deepEqual(begun, [1, 2, 3])
  turns.end(3)
  deepEqual(await turns.take(), 4)
})
