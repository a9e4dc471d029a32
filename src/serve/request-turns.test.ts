import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import type { HttpConnection } from './connections.ts'
import { RequestTurns } from './request-turns.ts'

const KIB = 1024

function setUp() {
  const clock = createFakeClock()
  const turns = new RequestTurns(clock)
  const connection: HttpConnection = {
    isBusy: false,
    waiting: [],
    waitingBytes: 0,
    turnBytes: 0,
    isResting: false,
  }
  const started: string[] = []
  const take = (name: string, bytes?: number) => turns.take(connection, bytes, () => started.push(name))
  return { clock, started, take, end: () => turns.end(connection) }
}

test('the requests of a connection are handled one at a time, in order', () => {
  const { started, take, end } = setUp()
  for (const name of ['a', 'b', 'c']) assert.equal(take(name, 10), true)
  assert.deepEqual(started, ['a'])
  end()
  end()
  end()
  assert.deepEqual(started, ['a', 'b', 'c'])
})

test('after about 128 KiB a connection rests until others had their turn', () => {
  const { clock, started, take, end } = setUp()
  for (const name of ['a', 'b', 'c']) {
    take(name, 64 * KIB)
    end()
  }
  assert.deepEqual(started, ['a', 'b'])
  clock.advance(1)
  assert.deepEqual(started, ['a', 'b', 'c'])
})

test('a client more than 256 requests or 1 MiB ahead floods, and a body of unknown length counts as 64 KiB', () => {
  const byNumber = setUp()
  for (let count = 0; count < 257; count++) assert.equal(byNumber.take('x', 0), true)
  assert.equal(byNumber.take('x', 0), false)
  const bySize = setUp()
  for (let count = 0; count < 17; count++) assert.equal(bySize.take('x'), true)
  assert.equal(bySize.take('x', 1), false)
  bySize.end()
  assert.equal(bySize.take('x', 1), true)
})
