import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atOnce, countTurns } from './next-turn.fixture.ts'
import { inSlices, nextTurn, type Sliced } from './next-turn.ts'

test('work that was waiting runs first', async () => {
  const order: string[] = []
  setImmediate(() => order.push('waiting'))
  await nextTurn()
  order.push('loop')
  assert.deepEqual(order, ['waiting', 'loop'])
})

function* countTo(limit: number, onItem: () => void): Sliced<number> {
  for (let item = 0; item < limit; item++) {
    yield
    onItem()
  }
  return limit
}

test('sliced work lets other work run in between and gives the same result', async () => {
  const counting = countTurns()
  const busy = (): void => {
    for (const end = performance.now() + 0.1; performance.now() < end; );
  }
  assert.equal(await inSlices(countTo(300, busy)), 300)
  const turns = counting.stop()
  assert.ok(turns >= 10, `${turns} turns in 30 ms`)
  assert.equal(atOnce(countTo(3, busy)), 3)
})

test('an error in sliced work rejects its promise', async () => {
  const fail = (): void => {
    throw new Error('no')
  }
  await assert.rejects(inSlices(countTo(1, fail)), /no/)
})
