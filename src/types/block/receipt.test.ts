import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { formatDigits } from '#types/hex.ts'
import { emptyBloom } from './bloom.ts'
import { encodeReceipt, type Receipt } from './receipt.ts'

const _log = {
  address: parseAddress('11'.repeat(20)),
  topics: [parseHash('22'.repeat(32)), parseHash('33'.repeat(32))],
  data: Uint8Array.of(1, 2, 3),
}
const PLAIN: Receipt = {
  type: 0,
  outcome: 1,
  cumulativeGasUsed: 21_000n,
  logsBloom: emptyBloom(),
  logs: [],
}

test('a receipt begins with its type unless that is 0', () => {
  const list = `f9010801825208b90100${'00'.repeat(256)}c0`
  assert.equal(formatDigits(encodeReceipt(PLAIN)), list)
  assert.equal(formatDigits(encodeReceipt({ ...PLAIN, type: 2 })), `02${list}`)
})
