import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { recoverPublicKey } from '#types/curve.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeForSigning, signTransaction } from './sign-transaction.ts'
import { anySignature, anyTransaction, PLAIN_TRANSACTIONS } from './transaction.fixture.ts'
import { completeTransaction } from './transaction-encode.ts'
import { recoverSender, signingHash } from './transaction-sender.ts'

const KEY = new Uint8Array(32).fill(0x46)

test('the signing hash from the bytes equals the one from the fields', () => {
  fc.assert(
    fc.property(anyTransaction, anySignature, (unsigned, signature) => {
      const expected = keccak256(encodeForSigning(unsigned))
      assert.deepEqual(signingHash(completeTransaction(unsigned, signature)), expected)
    }),
  )
})

test('the recover function determines the sender from digest and signature', () => {
  const transaction = signTransaction(PLAIN_TRANSACTIONS[2], KEY)
  const calls: Uint8Array[] = []
  const sender = recoverSender(transaction, (digest, signature) => {
    calls.push(digest, signature)
    return recoverPublicKey(digest, signature)
  })
  assert.equal(sender, recoverSender(transaction))
  assert.deepEqual(calls[0], signingHash(transaction))
  assert.equal(calls[1]?.length, 65)
})

test('an impossible signature is a fault', () => {
  for (const signature of [
    { yParity: 0, r: 0n, s: 1n },
    { yParity: 0, r: 1n, s: 0n },
    { yParity: 0, r: 5n, s: 1n },
    { yParity: 1, r: 2n ** 256n - 1n, s: 1n },
  ] as const) {
    const transaction = completeTransaction(PLAIN_TRANSACTIONS[0], signature)
    assert.throws(() => recoverSender(transaction), { name: 'Fault', kind: 'INVALID_SIGNATURE' })
  }
})
