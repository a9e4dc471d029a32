import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesToBigint } from './bytes.ts'
import { formatDigits } from './hex.ts'
import {
  ACCOUNT_CODE_HASH,
  accountNonceAt,
  CODE_BYTES,
  readStateChanges,
  STORAGE_SLOT,
  STORAGE_VALUE,
  StateChangesWriter,
  wordAt,
} from './state-changes.ts'

const A = new Uint8Array(20).fill(0xaa)
const B = new Uint8Array(20).fill(0xbb)
const HASH = new Uint8Array(32).fill(0x11)
const SLOT = new Uint8Array(32).fill(0x22)
const ZERO = new Uint8Array(32)

function wordOf(last: number): Uint8Array {
  const word = new Uint8Array(32)
  word[31] = last
  return word
}

test('every kind of entry has the bytes that the specification shows', () => {
  const writer = new StateChangesWriter()
  writer.destroyed(A)
  writer.account(A, 1n, 256n, HASH)
  writer.storage(A, SLOT, wordOf(7))
  writer.code(HASH, Uint8Array.of(0x60, 0x00))
  assert.equal(
    formatDigits(writer.finish()),
    `04${'aa'.repeat(20)}` +
      `01${'aa'.repeat(20)}0000000000000001${'00'.repeat(30)}0100${'11'.repeat(32)}` +
      `02${'aa'.repeat(20)}${'22'.repeat(32)}${'00'.repeat(31)}07` +
      `03${'11'.repeat(32)}000000026000`,
  )
})

test('written entries are visited in the same order', () => {
  const writer = new StateChangesWriter()
  writer.destroyed(A)
  writer.account(A, 5n, 10n ** 30n, HASH)
  writer.storage(A, SLOT, wordOf(1))
  writer.storage(A, ZERO, ZERO)
  writer.code(HASH, Uint8Array.of(1, 2, 3))
  writer.account(B, 0n, 0n, HASH)
  const seen: string[] = []
  readStateChanges(writer.finish(), {
    destroyed: (bytes, at) => seen.push(`destroyed ${bytes[at]}`),
    account: (bytes, at) =>
      seen.push(
        `account ${bytes[at]} ${accountNonceAt(bytes, at)} ${wordAt(bytes, at + 28)} ${bytes[at + ACCOUNT_CODE_HASH]}`,
      ),
    storage: (bytes, at) =>
      seen.push(
        `storage ${bytes[at + STORAGE_SLOT]} ${wordAt(bytes, at + STORAGE_VALUE)} ${wordAt(bytes, at + STORAGE_VALUE) === 0n}`,
      ),
    code: (bytes, at, length) =>
      seen.push(`code ${bytes[at]} ${bytes.subarray(at + CODE_BYTES, at + CODE_BYTES + length)}`),
  })
  assert.deepEqual(seen, [
    'destroyed 170',
    `account 170 5 ${10n ** 30n} 17`,
    'storage 34 1 false',
    'storage 0 0 true',
    'code 17 1,2,3',
    'account 187 0 0 17',
  ])
})

test('numbers of any size survive, also in a reused buffer', () => {
  const writer = new StateChangesWriter()
  const nonces = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  const balances = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  fc.assert(
    fc.property(nonces, balances, (nonce, balance) => {
      writer.account(A, nonce, balance, HASH)
      const bytes = writer.finish()
      assert.equal(accountNonceAt(bytes, 1), nonce)
      assert.equal(wordAt(bytes, 29), balance)
      assert.equal(bytesToBigint(bytes.subarray(29, 61)), balance)
    }),
  )
})

test('a writer grows beyond its first buffer', () => {
  const writer = new StateChangesWriter()
  for (let index = 0; index < 1_000; index++) writer.storage(A, SLOT, wordOf(index % 256))
  writer.code(HASH, new Uint8Array(100_000).fill(9))
  let slots = 0
  let codeSum = 0
  readStateChanges(writer.finish(), {
    storage: (bytes, at) => {
      assert.equal(bytes[at + STORAGE_VALUE + 31], slots++ % 256)
    },
    code: (bytes, at, length) => {
      codeSum = bytes.subarray(at + CODE_BYTES, at + CODE_BYTES + length).reduce((sum, byte) => sum + byte, 0)
    },
  })
  assert.deepEqual([slots, codeSum], [1_000, 900_000])
})

test('finished bytes stay unchanged when the writer continues', () => {
  const writer = new StateChangesWriter()
  writer.destroyed(A)
  const bytes = writer.finish()
  writer.destroyed(B)
  assert.equal(bytes[1], 0xaa)
  assert.equal(new StateChangesWriter().finish().length, 0)
})

test('changes of one address out of order are a bug in the engine', () => {
  const begin = (): StateChangesWriter => {
    const writer = new StateChangesWriter()
    writer.account(A, 0n, 0n, HASH)
    return writer
  }
  assert.throws(() => begin().destroyed(A), { name: 'AssertionFailure' })
  assert.throws(() => begin().account(A, 1n, 0n, HASH), { name: 'AssertionFailure' })
  const afterStorage = begin()
  afterStorage.storage(A, SLOT, ZERO)
  assert.throws(() => afterStorage.account(A, 1n, 0n, HASH), { name: 'AssertionFailure' })
  const other = begin()
  other.destroyed(B)
})

test('values of the wrong size are a bug in the engine', () => {
  const writer = new StateChangesWriter()
  for (const run of [
    () => writer.destroyed(HASH),
    () => writer.account(A, 2n ** 64n, 0n, HASH),
    () => writer.account(A, -1n, 0n, HASH),
    () => writer.account(A, 0n, 2n ** 256n, HASH),
    () => writer.account(A, 0n, 0n, A),
    () => writer.storage(A, A, ZERO),
    () => writer.storage(A, ZERO, A),
    () => writer.code(A, HASH),
  ]) {
    assert.throws(run, { name: 'AssertionFailure' })
  }
})

test('bytes that end within an entry or have another kind are a bug in the engine', () => {
  const writer = new StateChangesWriter()
  writer.destroyed(A)
  writer.account(A, 1n, 1n, HASH)
  writer.storage(A, SLOT, SLOT)
  writer.code(HASH, HASH)
  const bytes = writer.finish()
  const ends = new Set([0, 21, 21 + 93, 21 + 93 + 85, bytes.length])
  for (let length = 0; length <= bytes.length; length++) {
    const read = () => readStateChanges(bytes.subarray(0, length), {})
    if (ends.has(length)) read()
    else assert.throws(read, { name: 'AssertionFailure' })
  }
  assert.throws(() => readStateChanges(Uint8Array.of(0), {}), { name: 'AssertionFailure' })
  assert.throws(() => readStateChanges(Uint8Array.of(5), {}), { name: 'AssertionFailure' })
})
