import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { BulkTurns, SEND_LIMITS, SendQueue } from './send-queue.ts'

/** A sink that accepts everything at once and reports so before the turn ends, like a socket on the same machine. */
function eagerQueue(turns: BulkTurns) {
  const written: number[] = []
  const queue: SendQueue = new SendQueue(
    {
      write: () => {
        process.nextTick(() => queue.onDrain())
        return false
      },
    },
    (code, data) => {
      written.push(code)
      return data
    },
    createFakeClock(),
    turns,
  )
  return { queue, written }
}

const BULK = 1
const URGENT = 2

test('a consensus message in the next turn overtakes bulk that a socket would accept at once', async () => {
  const { queue, written } = eagerQueue(new BulkTurns())
  for (let at = 0; at < 100; at++) queue.push(BULK, new Uint8Array(256 * 1024), 'bulk')
  await nextTurn()
  queue.push(URGENT, new Uint8Array(100), 'urgent')
  assert.ok(written.length < 10, `${written.length} were written in one turn`)
  while (written.length < 101) await nextTurn()
  assert.ok(written.indexOf(URGENT) < 10)
})

test('connections with much to send take turns', async () => {
  const turns = new BulkTurns()
  const queues = [eagerQueue(turns), eagerQueue(turns), eagerQueue(turns)]
  for (const { queue } of queues) {
    for (let at = 0; at < 30; at++) queue.push(BULK, new Uint8Array(512 * 1024), 'bulk')
  }
  while (queues.every(({ written }) => written.length < 30)) await nextTurn()
  for (const { written } of queues) assert.ok(written.length > 25, `one had ${written.length} turns of 30`)
})

test('a waiting message is not sent after the connection ended', async () => {
  const { queue, written } = eagerQueue(new BulkTurns())
  for (let at = 0; at < 10; at++) queue.push(BULK, new Uint8Array(512 * 1024), 'bulk')
  queue.close()
  const before = written.length
  await nextTurn()
  await nextTurn()
  assert.equal(written.length, before)
})

test('a drained queue has room for many small messages', async () => {
  const { queue, written } = eagerQueue(new BulkTurns())
  const count = 3 * SEND_LIMITS.messagesMax
  let waits = 0
  for (let sent = 0; sent < count; ) {
    if (queue.push(BULK, new Uint8Array(200), 'bulk')) sent += 1
    else {
      waits += 1
      assert.ok(waits < 100, 'nothing was sent while it waited')
      await queue.drained()
    }
  }
  while (written.length < count) await nextTurn()
  assert.ok(waits > 0)
})

test('a consensus message goes first when a full socket drains', () => {
  const written: number[] = []
  let takes = false
  const encode = (code: number, data: Uint8Array): Uint8Array => {
    written.push(code)
    return data
  }
  const queue = new SendQueue({ write: () => takes }, encode, createFakeClock(), new BulkTurns())
  for (let at = 0; at < 3; at++) queue.push(BULK, new Uint8Array(10), 'bulk')
  queue.push(URGENT, new Uint8Array(10), 'urgent')
  assert.deepEqual(written, [BULK])
  takes = true
  queue.onDrain()
  assert.deepEqual(written, [BULK, URGENT, BULK, BULK])
})
