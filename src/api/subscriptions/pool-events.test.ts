import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#chain/chain.fixture.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import type { EventBatch } from '#platform/contract-events.ts'
import { nextTurn } from '#platform/next-turn.ts'
import type { PendingTransaction } from '#pool/contract.ts'
import { PoolEvents } from './pool-events.ts'

const LISTENERS = 100
const TRANSACTIONS = 50

const transactions = Array.from({ length: TRANSACTIONS }, (_, index) => ({
  hash: `0x${index}`,
})) as unknown as PendingTransaction[]

/** Every look at the clock costs 5 ms, so a slice ends with each look. */
function busyClock(): Clock {
  let nowMs = 0
  return { ...systemClock, monotonicMs: () => (nowMs += 5) }
}

/** One batch, and then nothing. */
function oneBatch() {
  return async function* (): AsyncGenerator<EventBatch<PendingTransaction>> {
    yield { items: transactions, missed: 0 }
  }
}

test('a batch of transactions for many listeners leaves turns to other work', async () => {
  const events = new PoolEvents(oneBatch(), { log: silentLog, clock: busyClock() })
  const heard = Array.from({ length: LISTENERS }, () => 0)
  for (let each = 0; each < LISTENERS; each++) events.join(() => void heard[each]!++)
  let [turns, before, most] = [0, 0, 0]
  for (; heard.at(-1)! < TRANSACTIONS; turns++) {
    await nextTurn()
    const now = heard.reduce((sum, count) => sum + count)
    most = Math.max(most, now - before)
    before = now
  }
  assert.ok(most <= 50, `${most} notifications in one turn`)
  assert.ok(turns >= 100, `${turns} turns`)
  assert.deepEqual(new Set(heard), new Set([TRANSACTIONS]))
})

test('a listener that leaves during a batch hears nothing more, and one that joins hears the next batch', async () => {
  const events = new PoolEvents(oneBatch(), { log: silentLog, clock: busyClock() })
  const heard = { first: 0, leaving: 0, late: 0 }
  events.join(() => {
    if (++heard.first !== 10) return
    leave()
    events.join(() => void heard.late++)
  })
  const leave = events.join(() => void heard.leaving++)
  while (heard.first < TRANSACTIONS) await nextTurn()
  await nextTurn()
  assert.deepEqual(heard, { first: TRANSACTIONS, leaving: 9, late: 0 })
})
