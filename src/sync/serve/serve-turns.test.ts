import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock, type FakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { once, type PausingWork, ServeTurns } from './serve-turns.ts'

/** Work whose steps take a millisecond each. */
function workshop() {
  const clock = createFakeClock()
  const steps: string[] = []
  const paused: string[] = []
  function* work(name: string, count: number): PausingWork<string> {
    for (let at = 0; at < count; at++) {
      steps.push(name)
      clock.advance(1)
      if (yield) paused.push(name)
    }
    return name
  }
  return { clock, turns: new ServeTurns(clock), steps, paused, work }
}

/** Lets time pass without computing. */
async function idle(clock: FakeClock, ms: number): Promise<void> {
  for (let at = 0; at < ms; at++) {
    clock.advance(1)
    await nextTurn()
  }
}

test('answers are computed for a few milliseconds and then pause for as long', async () => {
  const { clock, turns, steps, work } = workshop()
  const done = turns.run(work('a', 12))
  assert.equal(steps.length, 0)
  await nextTurn()
  assert.equal(steps.length, 4)
  await idle(clock, 3)
  assert.equal(steps.length, 4)
  await idle(clock, 1)
  assert.equal(steps.length, 8)
  await idle(clock, 8)
  assert.equal(await done, 'a')
})

test('long answers take turns, and each learns that it was paused', async () => {
  const { clock, turns, steps, paused, work } = workshop()
  const all = Promise.all([turns.run(work('a', 8)), turns.run(work('b', 8))])
  await idle(clock, 40)
  assert.deepEqual(await all, ['a', 'b'])
  assert.equal(steps.join(''), 'aaaabbbbaaaabbbb')
  assert.deepEqual(paused, ['a', 'b', 'a', 'b'])
})

test('short answers share a turn', async () => {
  const { turns, steps, work } = workshop()
  const all = Promise.all([turns.run(work('a', 1)), turns.run(work('b', 1)), turns.run(once(() => 'c'))])
  await nextTurn()
  assert.deepEqual(steps, ['a', 'b'])
  assert.deepEqual(await all, ['a', 'b', 'c'])
})

test('an error in one answer does not stop the others', async () => {
  const { clock, turns, work } = workshop()
  const failing = turns.run(
    once(() => {
      throw new Error('no')
    }),
  )
  const other = turns.run(work('b', 6))
  await assert.rejects(failing, /^Error: no$/)
  await idle(clock, 10)
  assert.equal(await other, 'b')
  assert.equal(await turns.run(work('c', 1)), 'c')
})
