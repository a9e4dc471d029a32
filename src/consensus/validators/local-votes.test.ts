import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, parseAddress } from '#types/address.ts'
import { LocalVotes } from './local-votes.ts'
import { applyVote, tallyOf } from './vote-tally.ts'

const [a, b, c, d] = ['11', '22', '33', '44'].map((byte) => parseAddress(byte.repeat(20))) as [
  Address,
  Address,
  Address,
  Address,
]
const three = tallyOf([a, b, c])

test('votes that would change something take turns', () => {
  const votes = new LocalVotes()
  assert.equal(votes.next(a, three), null)
  votes.propose(d, 'add')
  votes.propose(c, 'drop')
  votes.propose(b, 'add')
  const cast = [votes.next(a, three), votes.next(a, three), votes.next(a, three)]
  assert.deepEqual(
    cast.map((vote) => vote?.recipient),
    [c, d, c],
  )
})

test('a cast vote is not repeated, but reversed if the operator changes it', () => {
  const votes = new LocalVotes()
  votes.propose(d, 'add')
  const after = applyVote(three, { recipient: d, type: 'add', voter: a })
  assert.equal(votes.next(a, after), null)
  assert.deepEqual(votes.next(b, after), { recipient: d, type: 'add' })
  votes.propose(d, 'drop')
  assert.deepEqual(votes.next(a, after), { recipient: d, type: 'drop' })
  votes.discard(d)
  assert.deepEqual(votes.all(), [])
})

test('the last validator cannot vote itself out', () => {
  const votes = new LocalVotes()
  votes.propose(a, 'drop')
  assert.equal(votes.next(a, tallyOf([a])), null)
  assert.deepEqual(votes.next(a, tallyOf([a, b])), { recipient: a, type: 'drop' })
})

test('at most a thousand votes are kept', () => {
  const votes = new LocalVotes()
  for (let index = 0; index < 1_001; index++) {
    votes.propose(parseAddress(index.toString(16).padStart(40, '0')), 'add')
  }
  assert.equal(votes.all().length, 1_000)
  assert.equal(votes.all()[0]?.recipient, parseAddress('1'.padStart(40, '0')))
})
