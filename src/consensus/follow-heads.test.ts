import { deepStrictEqual } from 'node:assert'
import { test } from 'node:test'
import type { HeadChange, NextValidators } from '#chain/write/head-change.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createSignal } from '#platform/signal.ts'
import { followHeads } from './follow-heads.ts'

const next = (number: number) => ({ parent: { number } }) as unknown as NextValidators

test('the driver is suspended while many blocks are imported, and continues at the new height', async () => {
  const clock = createFakeClock()
  const headMoved = createSignal<HeadChange>((error) => {
    throw error
  })
  const seen: string[] = []
  let isCatchingUp = false
  let head = 0
  const heads = followHeads({
    clock,
    log: createLog({ level: 'OFF' }),
    writer: { nextValidators: async () => next(head) },
    headMoved,
    isCatchingUp: () => isCatchingUp,
    enter: ({ parent }) => void seen.push(`after ${parent.number}`),
    suspend: () => void seen.push('silent'),
  })
  const move = (number: number) => {
    head = number
    headMoved.emit({ number, next: next(number) } as unknown as HeadChange)
  }
  await Promise.resolve()
  move(1)
  isCatchingUp = true
  move(50)
  move(100)
  clock.advance(400)
  isCatchingUp = false
  clock.advance(200)
  await Promise.resolve()
  await Promise.resolve()
  heads.stop()
  move(101)
  deepStrictEqual(seen, ['after 0', 'after 1', 'silent', 'silent', 'after 100'])
})
