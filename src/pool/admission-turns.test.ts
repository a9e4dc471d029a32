import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AdmissionTurns } from './admission-turns.ts'
import type { AdmissionVerdict, SubmittedTransaction } from './submitted-transaction.ts'

const ADMITTED = { ok: true } as AdmissionVerdict
const manyOf = (name: string, count: number) =>
  Array.from(
    { length: count },
    (_, number) => ({ hash: `${name}${number}` }) as unknown as SubmittedTransaction,
  )

function setUp(
  verdictsOf: (count: number) => readonly AdmissionVerdict[] | Promise<readonly AdmissionVerdict[]>,
) {
  const admitted: string[][] = []
  const turns = new AdmissionTurns({
    admit: (transactions) => {
      admitted.push(transactions.map(({ hash }) => String(hash)))
      return verdictsOf(transactions.length)
    },
  })
  return { admitted, turns }
}

test('many transactions are admitted a few per turn, in order of arrival', async () => {
  const { admitted, turns } = setUp((count) => new Array<AdmissionVerdict>(count).fill(ADMITTED))
  const turnOf: number[] = []
  const count = (): void => {
    turnOf.push(admitted.length)
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const [first, second] = await Promise.all([
    turns.admit(manyOf('a', 100), 'local'),
    turns.admit(manyOf('b', 3), 'local'),
  ])
  clearImmediate(timer)
  assert.deepEqual([first.length, second.length], [100, 3])
  assert.deepEqual(
    admitted.map(({ length }) => length),
    [32, 32, 32, 4, 3],
  )
  assert.deepEqual(
    admitted.flat(),
    [...manyOf('a', 100), ...manyOf('b', 3)].map(({ hash }) => hash),
  )
  assert.ok(turnOf.length >= 4, `${turnOf.length} turns`)
  for (const [index, done] of turnOf.entries()) assert.ok(done - (turnOf[index - 1] ?? 0) <= 1, turnOf.join())
})

test('slow verdicts delay no other batch, and a failure rejects its own batch', async () => {
  const slow = Promise.withResolvers<readonly AdmissionVerdict[]>()
  const verdicts = [
    () => slow.promise,
    () => Promise.reject(new Error('a bug')),
    () => Promise.resolve([ADMITTED]),
  ]
  const { turns } = setUp(() => verdicts.shift()!())
  const first = turns.admit(manyOf('a', 1), 'local')
  const failing = turns.admit(manyOf('b', 1), 'local')
  const third = turns.admit(manyOf('c', 1), 'local')
  await assert.rejects(failing, /a bug/)
  assert.deepEqual(await third, [ADMITTED])
  slow.resolve([ADMITTED])
  assert.deepEqual(await first, [ADMITTED])
})
