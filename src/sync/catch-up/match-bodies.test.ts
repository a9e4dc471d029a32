import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLAIN_HEADER } from '#types/block/block.fixture.ts'
import { encodeBody } from '#types/block/block.ts'
import { EMPTY_OMMERS_HASH, transactionsRoot } from '#types/block/block-roots.ts'
import type { Fault } from '#types/fault.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp, encodeRlpList } from '#types/rlp.ts'
import { PLAIN_TRANSACTIONS } from '#types/transaction/transaction.fixture.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { matchBodies } from './match-bodies.ts'

const EMPTY_LIST = encodeRlp([])
const transactions = PLAIN_TRANSACTIONS.map((each) => completeTransaction(each, { yParity: 1, r: 1n, s: 2n }))
const body = { transactions, ommers: [], withdrawals: undefined }
const header = {
  ...PLAIN_HEADER,
  gasUsed: 100_000n,
  transactionsRoot: transactionsRoot(transactions),
  ommersHash: EMPTY_OMMERS_HASH,
  withdrawalsRoot: undefined,
}
const other = { ...header, transactionsRoot: transactionsRoot(transactions.slice(1)) }

function refuses(encoded: Uint8Array, sentence: RegExp): void {
  assert.throws(
    () => matchBodies([encoded], [other, header], keccak256),
    (fault: Fault) => sentence.test(fault.data.sentence),
  )
}

test('a body is matched to its header even if the peer left out the one before', () => {
  const [left, matched] = matchBodies([encodeBody(body)], [other, header], keccak256)
  assert.equal(left, undefined)
  assert.deepEqual(matched!.body, body)
})

test('a body that belongs to no header is refused before it is decoded', () => {
  const noTransaction = encodeRlpList([encodeRlpList([Uint8Array.of(0xc1, 0x05)]), EMPTY_LIST])
  refuses(noTransaction, /belongs to none of the blocks/)
})

test('more transactions than any header has gas for are not even hashed', () => {
  const many = Array.from({ length: 1_010 }, () => Uint8Array.of(0xc0))
  refuses(encodeRlpList([encodeRlpList(many), EMPTY_LIST]), /more than 1009 items/)
})

test('a body without its lists is refused', () => {
  for (const lists of [[], [EMPTY_LIST], [EMPTY_LIST, EMPTY_LIST, EMPTY_LIST, EMPTY_LIST]])
    refuses(encodeRlpList(lists), /has \d lists, and not 2 or 3/)
})
