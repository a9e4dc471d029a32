import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { connectRaw, post } from '#serve/serve.fixture.ts'
import { CALL, RESULT, startHttp } from './server.fixture.ts'

test('slots in shared memory are one limit for several threads', () => {
  const counts = new Int32Array(new SharedArrayBuffer(8))
  const [one, other] = [createConnectionSlots(2, counts, 0), createConnectionSlots(2, counts, 1)]
  assert.deepEqual([one.tryTake(), other.tryTake(), one.tryTake()], [true, true, false])
  other.release()
  assert.deepEqual([one.taken, other.taken], [1, 0])
  assert.equal(one.tryTake(), true)
})

test('beyond many silent connections the oldest goes, and a newcomer is served', async (t) => {
  const { port } = await startHttp(t)
  const served = await connectRaw(t, port)
  served.send(post(CALL))
  await served.untilReceived(RESULT)
  const silent = []
  for (let batch = 0; batch < 6; batch += 1) {
    silent.push(...(await Promise.all(Array.from({ length: 100 }, () => connectRaw(t, port)))))
  }
  await silent[0]!.untilClosed()
  assert.equal(silent.at(-1)!.isClosed, false)
  silent.at(-1)!.send(post(CALL))
  await silent.at(-1)!.untilReceived(RESULT)
  served.send(post(CALL))
  await served.until(() => served.received.split(RESULT).length === 3)
})
