import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle, whenReady } from './maybe-promise.ts'

const failing = (): never => {
  throw new Error('wrong')
}

test('a value that is there is passed on at once, and a promise when it resolves', async () => {
  const double = (value: number): number => 2 * value
  assert.equal(whenReady(2, double), 4)
  assert.equal(await whenReady(Promise.resolve(2), double), 4)
  await assert.rejects(async () => whenReady(Promise.reject(new Error('wrong')), double), /wrong/)
})

test('work that returns or throws at once is settled at once', () => {
  const outcome = (work: () => number) =>
    settle(
      work,
      (value) => `${value}`,
      (error) => (error as Error).message,
    )
  assert.equal(
    outcome(() => 1),
    '1',
  )
  assert.equal(outcome(failing), 'wrong')
})

test('a promise is settled with its value or its error, and an error of the continuation is its own', async () => {
  const outcome = async (work: () => Promise<number>, next: (value: number) => string) =>
    settle(work, next, (error) => `refused: ${(error as Error).message}`)
  assert.equal(await outcome(async () => 1, String), '1')
  assert.equal(await outcome(async () => failing(), String), 'refused: wrong')
  await assert.rejects(
    outcome(async () => 1, failing),
    /^Error: wrong$/,
  )
})
