import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from './random.fixture.ts'
import { systemRandom } from './random.ts'

test('system random returns the requested number of bytes in their own buffer', () => {
  const bytes = systemRandom.randomBytes(32)
  assert.equal(bytes.length, 32)
  assert.equal(bytes.buffer.byteLength, 32)
  assert.notDeepEqual(bytes, systemRandom.randomBytes(32))
})

test('the same seed gives the same bytes, and another seed gives others', () => {
  const bytes = createSeededRandom(7).randomBytes(33)
  assert.deepEqual(createSeededRandom(7).randomBytes(33), bytes)
  assert.notDeepEqual(createSeededRandom(8).randomBytes(33), bytes)
})

test('a number below a limit reaches every value and stays below', () => {
  const random = createSeededRandom(1)
  const seen = new Set(Array.from({ length: 200 }, () => random.randomBelow(5)))
  assert.deepEqual([...seen].sort(), [0, 1, 2, 3, 4])
  assert.throws(() => random.randomBelow(0), { name: 'AssertionFailure' })
})
