import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytes, CONTRACT, OTHER, stateOf, word } from '#evm/engine.fixture.ts'
import type { StateLookup } from '#evm/state-lookup.ts'
import { formatDigits } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { readStateChanges, wordAt } from '#types/state-changes.ts'
import { CodeCache } from './code-cache.ts'
import { JournalState } from './journal-state.ts'

const ADDRESS = bytes(CONTRACT.slice(2))
const ONE = formatDigits(word(1))
const STATE = {
  [CONTRACT]: { balance: 5n, nonce: 1n, code: 'aa', storage: { [ONE]: formatDigits(word(9)) } },
}

function journalOf(state: StateLookup = stateOf(STATE)): JournalState {
  return new JournalState(state, keccak256, new CodeCache(), () => {})
}

function entries(changes: Uint8Array): string[] {
  const found: string[] = []
  readStateChanges(changes, {
    destroyed: () => found.push('destroyed'),
    account: (source, at) => found.push(`account ${wordAt(source, at + 28)}`),
    storage: (source, at) => found.push(`storage ${wordAt(source, at + 20)} ${wordAt(source, at + 52)}`),
    code: (_source, _at, length) => found.push(`code ${length}`),
  })
  return found
}

test('a value that is changed and changed back is not reported', () => {
  const journal = journalOf()
  const before = journal.account(ADDRESS)!
  journal.setAccount(ADDRESS, { ...before, balance: 6n })
  journal.setStorage(ADDRESS, word(1), word(8))
  journal.setStorage(ADDRESS, word(1), word(9))
  journal.setAccount(ADDRESS, before)
  assert.deepEqual(entries(journal.changes()), [])
})

test('reverting restores accounts, storage and destruction, to any depth', () => {
  const journal = journalOf()
  const start = journal.checkpoint()
  journal.setStorage(ADDRESS, word(1), word(7))
  const middle = journal.checkpoint()
  journal.destroy(ADDRESS)
  journal.setAccount(ADDRESS, { nonce: 0n, balance: 1n, codeHash: journal.emptyCodeHash })
  assert.equal(journal.storage(ADDRESS, word(1)).length, 0)
  journal.revert(middle)
  assert.equal(wordAt(journal.storage(ADDRESS, word(1)), 0), 7n)
  assert.equal(journal.account(ADDRESS)?.balance, 5n)
  journal.revert(start)
  assert.deepEqual(entries(journal.changes()), [])
})

test('a recreated account is destroyed first, and its old slots are zero', () => {
  const journal = journalOf()
  journal.destroy(ADDRESS)
  journal.setAccount(ADDRESS, { nonce: 1n, balance: 5n, codeHash: journal.addCode(bytes('bbbb')) })
  assert.equal(journal.storage(ADDRESS, word(1)).length, 0)
  journal.setStorage(ADDRESS, word(2), word(3))
  assert.deepEqual(entries(journal.changes()), ['destroyed', 'account 5', 'storage 2 3', 'code 2'])
})

test('an account created and destroyed within the session leaves nothing', () => {
  const journal = journalOf()
  const other = bytes(OTHER.slice(2))
  journal.setAccount(other, { nonce: 1n, balance: 0n, codeHash: journal.emptyCodeHash })
  journal.setStorage(other, word(1), word(1))
  journal.destroy(other)
  assert.deepEqual(entries(journal.changes()), [])
})

test('the value at the start of a transaction stays right after other transactions', () => {
  const journal = journalOf()
  journal.setStorage(ADDRESS, word(1), word(7))
  assert.equal(wordAt(journal.storageAtStart(ADDRESS, word(1)), 0), 9n)
  journal.beginTransaction()
  assert.equal(wordAt(journal.storageAtStart(ADDRESS, word(1)), 0), 7n)
  journal.setStorage(ADDRESS, word(1), word(9))
  assert.deepEqual(entries(journal.transactionChanges()), ['storage 1 9'])
  assert.deepEqual(entries(journal.changes()), [])
})

test('state is looked up once', () => {
  const { scratch, lookup } = stateOf(STATE)
  let lookups = 0
  const journal = journalOf({
    scratch,
    lookup: (kind) => {
      lookups++
      return lookup(kind)
    },
  })
  for (let turn = 0; turn < 3; turn++) {
    journal.storage(ADDRESS, word(1))
    journal.code(journal.account(ADDRESS)!.codeHash)
  }
  assert.equal(lookups, 3)
})
