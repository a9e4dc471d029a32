import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { bloomOfLogs } from '#types/block/bloom.ts'
import { logToRlp } from '#types/block/log.ts'
import { encodeReceipt, type Receipt } from '#types/block/receipt.ts'
import { hashFromBytes } from '#types/hash.ts'
import { encodeRlp, encodeRlpList, rlpScalar } from '#types/rlp.ts'
import { decodeBlockReceipts } from './receipts.ts'

const random = createSeededRandom(Number(process.env.CAIRN_SEED ?? 3))
const address = parseAddress(`0x${'33'.repeat(20)}`)
const log = { address, topics: [hashFromBytes(random.randomBytes(32))], data: random.randomBytes(70) }
const RECEIPTS: readonly Receipt[] = ([0, 1, 2, 3, 4] as const).map((type) => ({
  type,
  outcome: type === 0 ? hashFromBytes(random.randomBytes(32)) : type % 2 === 0 ? 0 : 1,
  cumulativeGasUsed: BigInt(21_000 * (type + 1)),
  logs: type === 1 ? [] : [log, log],
  logsBloom: bloomOfLogs(type === 1 ? [] : [log, log]),
}))
const WITHOUT_BLOOMS = RECEIPTS.map(({ logsBloom: _, ...receipt }) => receipt)

const withBlooms = encodeRlpList(
  RECEIPTS.map((each) => (each.type === 0 ? encodeReceipt(each) : encodeRlp(encodeReceipt(each)))),
)
const flat = encodeRlp(
  RECEIPTS.map(({ type, outcome, cumulativeGasUsed, logs }) => [
    rlpScalar(type),
    typeof outcome === 'string' ? Buffer.from(outcome.slice(2), 'hex') : rlpScalar(outcome),
    rlpScalar(cumulativeGasUsed),
    logs.map(logToRlp),
  ]),
)

test('receipts of every type are read as eth/68 and eth/69 send them', () => {
  assert.deepEqual(decodeBlockReceipts(66, withBlooms), WITHOUT_BLOOMS)
  assert.deepEqual(decodeBlockReceipts(68, withBlooms), WITHOUT_BLOOMS)
  assert.deepEqual(decodeBlockReceipts(69, flat), WITHOUT_BLOOMS)
})

test('malformed receipts are a fault of the peer', () => {
  for (const [version, bytes] of [
    [68, flat],
    [69, withBlooms],
    [69, flat.subarray(0, -1)],
    [68, Uint8Array.of(0xc1, 0x80)],
    [68, Uint8Array.of(0xc2, 0x81, 0xff)],
    [69, Uint8Array.of(0x80)],
  ] as const)
    assert.throws(
      () => decodeBlockReceipts(version, bytes),
      { kind: 'INVALID_ETH_MESSAGE' },
      `eth/${version}`,
    )
  for (let turn = 0; turn < 2_000; turn++) {
    const bytes = Uint8Array.from(turn % 2 === 0 ? flat : withBlooms)
    bytes[random.randomBelow(bytes.length)]! ^= 1 << random.randomBelow(8)
    try {
      decodeBlockReceipts(turn % 2 === 0 ? 69 : 68, bytes)
    } catch (error) {
      assert.equal((error as { kind?: string }).kind, 'INVALID_ETH_MESSAGE', `${error}`)
    }
  }
})
