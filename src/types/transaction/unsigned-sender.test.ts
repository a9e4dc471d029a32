import { deepEqual, equal, notEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress, ZERO_ADDRESS } from '#types/address.ts'
import { keccak256 } from '#types/keccak.ts'
import { signTransaction } from './sign-transaction.ts'
import { isSignatureInRange } from './signature.ts'
import { decodeTransaction } from './transaction-decode.ts'
import { isUnsigned, markSender } from './unsigned-sender.ts'

const unsigned = {
  type: 2,
  chainId: 1337n,
  nonce: 0n,
  to: ZERO_ADDRESS,
  value: 1n,
  gasLimit: 21_000n,
  data: new Uint8Array(0),
  maxFeePerGas: 1n,
  maxPriorityFeePerGas: 0n,
  accessList: [],
} as const

test('an unsigned transaction is encoded like a signed one, and its hash depends on the sender', () => {
  const senders = [ZERO_ADDRESS, parseAddress('ff'.repeat(20)), parseAddress('77'.repeat(20))]
  const marked = senders.map((sender) => markSender(unsigned, sender, keccak256))
  for (const transaction of marked) {
    ok(isUnsigned(transaction) && isSignatureInRange(transaction))
    deepEqual(decodeTransaction(transaction.encoded, keccak256), transaction)
  }
  equal(new Set(marked.map(({ hash }) => hash)).size, senders.length)
  const signed = signTransaction(unsigned, new Uint8Array(32).fill(1))
  equal(isUnsigned(signed), false)
  notEqual(signed.hash, marked[0]!.hash)
})
