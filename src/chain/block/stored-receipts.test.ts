import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { decodeStoredReceipts, encodeStoredReceipts, type StoredReceipt } from './stored-receipts.ts'

const base: StoredReceipt = {
  type: 0,
  sender: parseAddress('11'.repeat(20)),
  outcome: 1,
  cumulativeGasUsed: 21_000n,
  logs: [],
  revertReason: undefined,
}

test('receipts come back as they were stored', () => {
  const log = { address: base.sender, topics: [parseHash('22'.repeat(32))], data: Uint8Array.of(1, 2) }
  const receipts: StoredReceipt[] = [
    base,
    { ...base, type: 4, outcome: 0, revertReason: Uint8Array.of(9), cumulativeGasUsed: 2n ** 63n },
    { ...base, outcome: 0, revertReason: new Uint8Array(0) },
    { ...base, outcome: parseHash('33'.repeat(32)), logs: [log, { ...log, topics: [] }] },
  ]
  assert.deepEqual(decodeStoredReceipts(encodeStoredReceipts(receipts)), receipts)
  assert.deepEqual(decodeStoredReceipts(encodeStoredReceipts([])), [])
})
