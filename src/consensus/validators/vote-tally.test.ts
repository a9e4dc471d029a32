import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, parseAddress } from '#types/address.ts'
import { applyVote, type CastVote, tallyOf, type VoteTally } from './vote-tally.ts'

const [a, b, c, d, e, f] = ['11', '22', '33', '44', '55', '66'].map((byte) =>
  parseAddress(byte.repeat(20)),
) as [Address, Address, Address, Address, Address, Address]

function after(tally: VoteTally, ...votes: [voter: Address, type: CastVote['type'], recipient: Address][]) {
  return votes.reduce((last, [voter, type, recipient]) => applyVote(last, { voter, type, recipient }), tally)
}

test('a tally sorts the validators it begins with', () => {
  assert.deepEqual(tallyOf([c, a, b, a]).validators, [a, b, c])
})

test('a validator joins with the votes of more than half', () => {
  const four = tallyOf([a, b, c, d])
  assert.deepEqual(after(four, [a, 'add', e], [b, 'add', e]).validators, [a, b, c, d])
  const five = after(four, [a, 'add', e], [b, 'add', e], [c, 'add', e])
  assert.deepEqual(five.validators, [a, b, c, d, e])
  assert.equal(five.votes.size, 0)
})

test('a vote cast twice counts once, and the opposite vote takes it back', () => {
  const three = tallyOf([a, b, c])
  assert.deepEqual(after(three, [a, 'add', d], [a, 'add', d]).validators, [a, b, c])
  const changed = after(three, [a, 'add', d], [a, 'drop', d], [b, 'add', d])
  assert.deepEqual(changed.validators, [a, b, c])
  assert.deepEqual(after(changed, [c, 'add', d]).validators, [a, b, c, d])
})

test('a removed validator loses the votes about it and by it', () => {
  const tally = after(tallyOf([a, b, c, d]), [d, 'add', e], [a, 'add', e], [a, 'drop', d], [b, 'drop', d])
  assert.deepEqual(tally.validators, [a, b, c, d])
  const dropped = after(tally, [c, 'drop', d])
  assert.deepEqual(dropped.validators, [a, b, c])
  assert.deepEqual([...dropped.votes.keys()], [e])
  assert.deepEqual([...dropped.votes.get(e)!.keys()], [a])
})

test('a single validator decides at once', () => {
  assert.deepEqual(after(tallyOf([a]), [a, 'add', b]).validators, [a, b])
  assert.deepEqual(after(tallyOf([a]), [a, 'drop', a]).validators, [])
})

test('votes that suffice after the set shrank take effect with the next vote on the subject', () => {
  const five = tallyOf([a, b, c, d, e])
  const waiting = after(five, [a, 'add', f], [b, 'add', f], [a, 'drop', e], [b, 'drop', e], [c, 'drop', e])
  const three = after(waiting, [a, 'drop', d], [b, 'drop', d], [c, 'drop', d])
  assert.deepEqual(three.validators, [a, b, c])
  assert.deepEqual(after(three, [c, 'drop', f]).validators, [a, b, c, f])
})
