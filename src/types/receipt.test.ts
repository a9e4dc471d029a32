import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from './address.ts'
import { bloomOfLogs, emptyBloom } from './bloom.ts'
import { concatBytes } from './bytes.ts'
import { parseHash } from './hash.ts'
import { formatDigits } from './hex.ts'
import { decodeReceipt, encodeReceipt, type Receipt } from './receipt.ts'
import { encodeRlp } from './rlp.ts'

const log = {
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

test('a receipt has its type before its list, unless that is 0', () => {
  const list = `f9010801825208b90100${'00'.repeat(256)}c0`
  assert.equal(formatDigits(encodeReceipt(PLAIN)), list)
  assert.equal(formatDigits(encodeReceipt({ ...PLAIN, type: 2 })), `02${list}`)
})

test('a receipt survives its encoding', () => {
  const logs = [log, { ...log, topics: [], data: new Uint8Array(0) }]
  for (const receipt of [
    PLAIN,
    { ...PLAIN, outcome: 0 },
    { ...PLAIN, outcome: parseHash('44'.repeat(32)) },
    { ...PLAIN, type: 4, logs, logsBloom: bloomOfLogs(logs), cumulativeGasUsed: 2n ** 64n - 1n },
  ] as const satisfies readonly Receipt[]) {
    assert.deepEqual(decodeReceipt(encodeReceipt(receipt)), receipt)
  }
})

test('bytes that are no receipt are refused', () => {
  const empty = new Uint8Array(0)
  const bloom = emptyBloom()
  for (const bytes of [
    empty,
    Uint8Array.of(5, 0xc0),
    encodeRlp([]),
    encodeRlp(empty),
    encodeRlp([Uint8Array.of(2), empty, bloom, []]),
    encodeRlp([new Uint8Array(31).fill(1), empty, bloom, []]),
    encodeRlp([[], empty, bloom, []]),
    encodeRlp([empty, new Uint8Array(9).fill(1), bloom, []]),
    encodeRlp([empty, empty, empty, []]),
    encodeRlp([empty, empty, bloom, empty]),
    encodeRlp([empty, empty, bloom, [[]]]),
    encodeRlp([empty, empty, bloom, [[bloom, [], empty]]]),
    concatBytes(encodeReceipt(PLAIN), empty, Uint8Array.of(1)),
  ]) {
    assert.throws(() => decodeReceipt(bytes), { name: 'Fault', kind: 'INVALID_RECEIPT' })
  }
})
