import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressFromPublicKey, publicKeyFromPrivate } from '#types/curve.ts'
import { formatData } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeForSigning, signTransaction } from './sign-transaction.ts'
import { PLAIN_TRANSACTIONS } from './transaction.fixture.ts'
import { transactionV } from './transaction.ts'
import { recoverSender } from './transaction-sender.ts'

const KEY = new Uint8Array(32).fill(0x46)

test('the example of EIP-155 is signed as the document says', () => {
  const [example] = PLAIN_TRANSACTIONS
  assert.equal(
    formatData(keccak256(encodeForSigning(example))),
    '0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53',
  )
  const transaction = signTransaction(example, KEY)
  assert.equal(transaction.hash, '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788')
  assert.equal(transactionV(transaction, transaction.yParity), 37n)
})

test('a signed transaction of every type has its sender', () => {
  const sender = addressFromPublicKey(publicKeyFromPrivate('secp256k1', KEY))
  for (const unsigned of [...PLAIN_TRANSACTIONS, { ...PLAIN_TRANSACTIONS[0], chainId: null }]) {
    assert.equal(recoverSender(signTransaction(unsigned, KEY)), sender)
  }
})

test('v is the parity, except for legacy transactions', () => {
  assert.equal(transactionV(PLAIN_TRANSACTIONS[2], 1), 1n)
  assert.equal(transactionV({ ...PLAIN_TRANSACTIONS[0], chainId: null }, 1), 28n)
  assert.equal(transactionV({ ...PLAIN_TRANSACTIONS[0], chainId: 1337n }, 0), 2709n)
})
