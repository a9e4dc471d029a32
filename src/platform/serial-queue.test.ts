import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SerialQueue } from './serial-queue.ts'

test('each job starts when the jobs before it are done, also when one of them fails', async () => {
  const turns = new SerialQueue(10)
  const done: string[] = []
  const slow = turns.take(async () => {
    await new Promise((resolve) => setImmediate(resolve))
    done.push('slow')
  })
  const failing = turns.take(async () => {
    done.push('failing')
    throw new Error('no')
  })
  const last = turns.take(async () => done.push('last'))
  await assert.rejects(failing!, /no/)
  await Promise.all([slow, last])
  assert.deepEqual(done, ['slow', 'failing', 'last'])
})

test('a full queue refuses jobs until one is done', async () => {
  const turns = new SerialQueue(2)
  const first = turns.take(async () => 1)
  void turns.take(async () => 2)
  assert.equal(
    turns.take(async () => 3),
    undefined,
  )
  await first
  assert.equal(await turns.take(async () => 4), 4)
})
