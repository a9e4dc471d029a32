import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wordAt } from '#types/state-changes.ts'
import { bytes, CONTRACT, stateOf, word } from './engine.fixture.ts'
import {
  ACCOUNT_ABSENT,
  ACCOUNT_HAS_STORAGE,
  ACCOUNT_PRESENT,
  ANSWER_BALANCE,
  LOOKUP,
  LOOKUP_ANSWER,
  LOOKUP_KEY,
  LOOKUP_SCRATCH_BYTES,
  LOOKUP_SLOT,
} from './state-lookup.ts'

const SLOT = '00'.repeat(31)

test('questions and answers share one buffer', () => {
  const storage = { [`${SLOT}01`]: `${SLOT}02` }
  const { scratch, lookup } = stateOf({
    [CONTRACT]: { balance: 2n ** 255n + 3n, nonce: 7n, code: 'aabb', storage },
  })
  assert.equal(scratch.length, LOOKUP_SCRATCH_BYTES)
  scratch.set(bytes(CONTRACT.slice(2)), LOOKUP_KEY)
  assert.equal(lookup(LOOKUP.account), ACCOUNT_PRESENT | ACCOUNT_HAS_STORAGE)
  assert.equal(scratch[LOOKUP_ANSWER + 7], 7)
  assert.equal(wordAt(scratch, ANSWER_BALANCE), 2n ** 255n + 3n)
  const codeHash = scratch.slice(LOOKUP_ANSWER + 40, LOOKUP_ANSWER + 72)
  scratch.set(word(1), LOOKUP_SLOT)
  assert.equal(lookup(LOOKUP.storage), 1)
  assert.equal(wordAt(scratch, LOOKUP_ANSWER), 2n)
  scratch.set(word(2), LOOKUP_SLOT)
  assert.equal(lookup(LOOKUP.storage), 0)
  scratch.fill(0, 0, LOOKUP_ANSWER)
  scratch.set(codeHash, LOOKUP_KEY)
  assert.equal(lookup(LOOKUP.code), 2)
  assert.deepEqual([...scratch.subarray(LOOKUP_ANSWER, LOOKUP_ANSWER + 2)], [0xaa, 0xbb])
})

test('missing values differ from present ones', () => {
  const { scratch, lookup } = stateOf({})
  scratch.fill(0)
  assert.equal(lookup(LOOKUP.account), ACCOUNT_ABSENT)
  scratch[7] = 9
  assert.equal(lookup(LOOKUP.blockHash), 1)
  assert.equal(wordAt(scratch, LOOKUP_ANSWER), 9n)
})
