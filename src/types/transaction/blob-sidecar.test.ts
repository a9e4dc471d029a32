import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { encodeRlp, type RlpItem } from '#types/rlp.ts'
import {
  BLOB_BYTES,
  type BlobSidecar,
  CELLS_PER_BLOB,
  decodePooledTransaction,
  encodePooledTransaction,
} from './blob-sidecar.ts'
import { PLAIN_TRANSACTIONS } from './transaction.fixture.ts'
import { completeTransaction } from './transaction-encode.ts'

const [legacy, , , blobFields] = PLAIN_TRANSACTIONS
const SIGNATURE = { yParity: 0, r: 1n, s: 1n } as const
const transaction = completeTransaction(blobFields, SIGNATURE)
const blob = new Uint8Array(BLOB_BYTES).fill(3)
const piece = new Uint8Array(48).fill(4)
const sidecar: BlobSidecar = { version: 0, blobs: [blob], commitments: [piece], proofs: [piece] }

/** The transaction of type 3 with another content in its wrapper. */
function wrapped(...items: RlpItem[]): Uint8Array {
  const list = concatBytes(transaction.encoded.subarray(1), ...items.map(encodeRlp))
  const length = list.length
  const header = Uint8Array.of(0xfa, length >> 16, (length >> 8) & 0xff, length & 0xff)
  return concatBytes(Uint8Array.of(3), header, list)
}

test('blobs are separated from their transaction', () => {
  const cells: readonly Uint8Array[] = new Array(CELLS_PER_BLOB).fill(piece)
  for (const each of [sidecar, { ...sidecar, version: 1, proofs: cells } as const]) {
    const bytes = encodePooledTransaction({ transaction, sidecar: each })
    const decoded = decodePooledTransaction(bytes)
    assert.deepEqual(decoded, { transaction, sidecar: each })
    assert.ok(equalBytes(encodePooledTransaction(decoded), bytes))
  }
})

test('the forms of the two EIPs differ by a version', () => {
  assert.ok(equalBytes(encodePooledTransaction({ transaction, sidecar }), wrapped([blob], [piece], [piece])))
})

test('without blobs the form is the one in blocks', () => {
  for (const each of [transaction, completeTransaction(legacy, SIGNATURE)]) {
    const bytes = encodePooledTransaction({ transaction: each, sidecar: undefined })
    assert.equal(bytes, each.encoded)
    assert.deepEqual(decodePooledTransaction(bytes), { transaction: each, sidecar: undefined })
  }
})

test('a wrapper with inconsistent parts is refused', () => {
  const version = Uint8Array.of(1)
  for (const bytes of [
    wrapped([blob], [piece]),
    wrapped([blob], [piece], []),
    wrapped([blob], [], [piece]),
    wrapped([blob.subarray(1)], [piece], [piece]),
    wrapped([blob], [piece.subarray(1)], [piece]),
    wrapped([blob], [piece], [piece], []),
    wrapped(version, [blob], [piece], [piece]),
    wrapped(Uint8Array.of(2), [blob], [piece], [piece]),
    wrapped(new Uint8Array(0), [blob], [piece], [piece]),
    concatBytes(encodePooledTransaction({ transaction, sidecar }), version),
    Uint8Array.of(3),
    Uint8Array.of(3, 0xc0),
    Uint8Array.of(3, 0xc1, 0xc0),
  ]) {
    assert.throws(() => decodePooledTransaction(bytes), { name: 'Fault', kind: 'INVALID_TRANSACTION' })
  }
})
