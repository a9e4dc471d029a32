import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { unlessFault } from '#types/fault.ts'
import { readPlainTransaction } from './plain-transaction.ts'
import { anySignature, anyTransaction } from './transaction.fixture.ts'
import type { Transaction } from './transaction.ts'
import { decodeAnyTransaction } from './transaction-decode.ts'
import { completeTransaction } from './transaction-encode.ts'

const HASH = new Uint8Array(32).fill(7)
const noHash = () => HASH

function isPlain(transaction: Transaction): boolean {
  return transaction.type === 0 || (transaction.type <= 2 && transaction.accessList.length === 0)
}

/** The decoder of all forms accepts the same plain transactions, with the same fields. */
function agrees(bytes: Uint8Array): void {
  const decoded = unlessFault(() => decodeAnyTransaction(bytes, noHash))
  const expected = decoded !== undefined && isPlain(decoded) ? decoded : undefined
  assert.deepEqual(readPlainTransaction(bytes, noHash), expected)
}

test('plain transactions are read as the decoder of all forms reads them', () => {
  fc.assert(
    fc.property(anyTransaction, anySignature, (unsigned, signature) => {
      agrees(completeTransaction(unsigned, signature).encoded)
    }),
    { numRuns: 1_000 },
  )
})

test('a transaction with changed, missing or added bytes is read or refused as by the decoder of all forms', () => {
  const change = fc.record({ at: fc.nat({ max: 400 }), byte: fc.integer({ min: 0, max: 255 }) })
  const boundary = fc.constantFrom(0, 1, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xb9, 0xbf, 0xc0, 0xf7, 0xf8, 0xff)
  const header = fc.record({ at: fc.nat({ max: 12 }), byte: boundary })
  const changes = fc.array(fc.oneof(change, header), { minLength: 1, maxLength: 3 })
  fc.assert(
    fc.property(
      anyTransaction,
      anySignature,
      changes,
      fc.integer({ min: -3, max: 3 }),
      (unsigned, signature, all, grown) => {
        const { encoded } = completeTransaction(unsigned, signature)
        const bytes = new Uint8Array(Math.max(0, encoded.length + grown))
        bytes.set(encoded.subarray(0, bytes.length))
        for (const { at, byte } of all) if (bytes.length > 0) bytes[at % bytes.length] = byte
        agrees(bytes)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('a field is read at every length around the boundaries of RLP headers', () => {
  const signature = { yParity: 1, r: 1n, s: 2n } as const
  for (const length of [0, 1, 54, 55, 56, 57, 255, 256, 65_535, 65_536]) {
    for (const byte of [0, 0x7f, 0x80]) {
      const fields = {
        chainId: 1n,
        nonce: 0n,
        gasPrice: 1n,
        gasLimit: 2n ** 64n - 1n,
        to: null,
        value: 2n ** 256n - 1n,
        data: new Uint8Array(length).fill(byte),
      }
      const { encoded } = completeTransaction({ type: 0, ...fields }, signature)
      assert.ok(readPlainTransaction(encoded, noHash))
      agrees(encoded)
      agrees(encoded.subarray(0, -1))
    }
  }
})
