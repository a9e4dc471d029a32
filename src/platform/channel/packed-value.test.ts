import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packValue, unpackValue } from './packed-value.ts'

test('a value is the same after it crossed to another thread as bytes', () => {
  const value = {
    number: 2n ** 200n,
    absent: undefined,
    list: [{ text: 'ä' }, null, true, 1.5],
    bytes: Uint8Array.of(1),
  }
  assert.deepEqual(unpackValue(structuredClone(packValue(value))), value)
})
