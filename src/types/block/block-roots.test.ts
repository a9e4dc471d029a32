import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { hashFromBytes } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { decodeRlp, encodeRlp } from '#types/rlp.ts'
import { PLAIN_TRANSACTIONS } from '#types/transaction/transaction.fixture.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { FULL_HEADER, PLAIN_HEADER } from './block.fixture.ts'
import { encodeHeader } from './block-header.ts'
import { ommersHash, receiptsRoot, transactionsRoot, withdrawalsRoot } from './block-roots.ts'
import { EMPTY_TRIE_ROOT, trieRoot } from './ordered-trie-root.ts'
import { encodeWithdrawal } from './withdrawal.ts'

test('empty lists have the root of an empty trie', () => {
  for (const root of [transactionsRoot([]), receiptsRoot([]), withdrawalsRoot([])]) {
    assert.equal(root, EMPTY_TRIE_ROOT)
  }
  assert.equal(ommersHash([]), '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
})

test('the trie value of a transaction is its encoding, type included', () => {
  const transactions = PLAIN_TRANSACTIONS.map((each) =>
    completeTransaction(each, { yParity: 0, r: 1n, s: 1n }),
  )
  const keys = ['80', '01', '02', '03', '04'].map((key) => Uint8Array.of(Number.parseInt(key, 16)))
  const entries = transactions.map(({ encoded }, index) => [keys[index]!, encoded] as const)
  assert.equal(transactionsRoot(transactions), trieRoot(entries))
})

test('the withdrawals root covers their encodings', () => {
  const withdrawal = { index: 1n, validatorIndex: 2n, address: parseAddress('33'.repeat(20)), amountGwei: 4n }
  assert.equal(withdrawalsRoot([withdrawal]), trieRoot([[Uint8Array.of(0x80), encodeWithdrawal(withdrawal)]]))
})

test('the ommers hash covers the list of their headers', () => {
  const list = [PLAIN_HEADER, FULL_HEADER].map((header) => decodeRlp(encodeHeader(header)))
  assert.equal(ommersHash([PLAIN_HEADER, FULL_HEADER]), hashFromBytes(keccak256(encodeRlp(list))))
})
