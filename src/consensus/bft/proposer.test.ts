import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, parseAddress } from '#types/address.ts'
import { PROPOSER_BY, proposerOf } from './proposer.ts'

const [zero, a, b, c, d] = ['00', '11', '22', '33', '44'].map((byte) => parseAddress(byte.repeat(20))) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

test('the validator after the last author proposes, one further in each round', () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((round) => proposerOf(a, [a, b, c], round)),
    [b, c, a, b],
  )
  assert.equal(proposerOf(c, [a, b, c], 0), a)
})

test('after an author who is not a validator the next address proposes', () => {
  assert.equal(proposerOf(b, [a, c, d], 0), c)
  assert.equal(proposerOf(b, [a, c, d], 1), d)
  assert.equal(proposerOf(zero, [a, b], 0), a)
  assert.equal(proposerOf(d, [a, b, c], 0), a)
  assert.equal(proposerOf(d, [a, b, c], 4), b)
})

test('in checksum order capital letters come first, and a missing author counts as the first validator', () => {
  const small = parseAddress('a5cc3c03994db5b0d9a5eedd10cabab0813678ac')
  const capital = parseAddress('cc'.repeat(20))
  const validators = [a, small, capital]
  const after = (author: Address, round = 0) => PROPOSER_BY.CHECKSUM(author, validators, round)
  assert.deepEqual([after(a), after(capital), after(small), after(a, 1)], [capital, small, a, small])
  assert.deepEqual([after(zero), after(zero, 1), after(d), after(d, 2)], [a, capital, capital, a])
})
