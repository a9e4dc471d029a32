import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { hashFromBytes } from '#types/hash.ts'
import { SeenTransactions } from './seen-transactions.ts'

const HASH = hashFromBytes(new Uint8Array(32).fill(1))
const MINUTE_MS = 60_000

test('a refused transaction is seen until the head moves', () => {
  const seen = new SeenTransactions(createFakeClock())
  assert.ok(seen.add(HASH))
  assert.ok(!seen.add(HASH))
  seen.refuse(HASH)
  assert.ok(seen.has(HASH))
  seen.headMoved()
  assert.ok(!seen.has(HASH))
})

test('an accepted transaction counts as seen after the head moves, but not forever', () => {
  const clock = createFakeClock()
  const seen = new SeenTransactions(clock)
  seen.add(HASH)
  seen.headMoved()
  clock.advance(5 * MINUTE_MS)
  assert.ok(seen.has(HASH))
  clock.advance(5 * MINUTE_MS)
  assert.ok(!seen.has(HASH))
})

test('a transaction that was refused and then sent by a client is new to peers', () => {
  const seen = new SeenTransactions(createFakeClock())
  seen.add(HASH)
  seen.refuse(HASH)
  assert.ok(seen.add(HASH))
})

test('a transaction without a verdict may come again at once', () => {
  const seen = new SeenTransactions(createFakeClock())
  seen.add(HASH)
  seen.forget(HASH)
  assert.ok(!seen.has(HASH))
})
