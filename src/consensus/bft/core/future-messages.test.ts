import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '#types/address.ts'
import { FutureMessages, type MessageEvent } from './future-messages.ts'

const VALIDATOR = `0x${'11'.repeat(20)}` as Address

/** A message with only a height and a length. */
function messageAt(height: number, bytes: number): MessageEvent {
  const signed = { author: VALIDATOR, payload: { height } }
  return { type: 'message', message: { signed }, raw: new Uint8Array(bytes) } as unknown as MessageEvent
}

test('future messages are kept up to a number of bytes, the nearest heights first', () => {
  const future = new FutureMessages({ maxDistance: 10, maxMessages: 100, maxBytes: 1_000 })
  assert.equal(future.add(messageAt(6, 600), 5, [VALIDATOR]), 0)
  assert.equal(future.add(messageAt(7, 600), 5, [VALIDATOR]), 1)
  assert.deepEqual(future.size, { messages: 1, bytes: 600 })
  assert.equal(future.take(6).length, 1)
  assert.deepEqual(future.size, { messages: 0, bytes: 0 })
})
