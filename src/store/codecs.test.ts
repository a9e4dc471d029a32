import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { concatBytes } from '#types/bytes.ts'
import { decodeBlob, encodeBlob, encodeHeaderBlob } from './kv/blob.ts'
import { ValueReader, ValueWriter } from './kv/varint.ts'
import {
  type AccountRecord,
  accountValue,
  deadAccount,
  decodeAccountRecord,
  EMPTY_CODE_HASH,
  EMPTY_ROOT,
  MAX_ACCOUNT_RECORD_BYTES,
  writeAccountRecord,
} from './state/account-record.ts'
import { changedSlots, decodeChangedKeys, encodeChangedKeys } from './state/changed-keys.ts'

const random = createSeededRandom(1)
const hash = random.randomBytes(32)

function roundTrip(record: AccountRecord): AccountRecord | undefined {
  const bytes = new Uint8Array(MAX_ACCOUNT_RECORD_BYTES)
  return decodeAccountRecord(bytes.subarray(0, writeAccountRecord(bytes, 0, record)))
}

test('accounts survive encoding, including the largest and dead ones', () => {
  const plain = {
    isAlive: true,
    incarnation: 0,
    nonce: Uint8Array.of(5),
    balance: new Uint8Array(0),
    codeHash: EMPTY_CODE_HASH,
    storageRoot: EMPTY_ROOT,
  }
  const largest = {
    isAlive: true,
    incarnation: 2 ** 32 - 1,
    nonce: new Uint8Array(8).fill(255),
    balance: new Uint8Array(32).fill(255),
    codeHash: hash,
    storageRoot: hash,
  }
  for (const record of [plain, largest, deadAccount(0), deadAccount(7)]) {
    assert.deepEqual(roundTrip(record), record)
  }
  assert.equal(decodeAccountRecord(new Uint8Array(0)), undefined)
  assert.equal(accountValue(deadAccount(3)), undefined)
  assert.equal(accountValue(largest)?.balance, 2n ** 256n - 1n)
  assert.equal(accountValue(plain)?.hasStorage, false)
})

test('a truncated or overlong account is a fault', () => {
  const bytes = new Uint8Array(MAX_ACCOUNT_RECORD_BYTES)
  const end = writeAccountRecord(bytes, 0, { ...deadAccount(1), isAlive: true, codeHash: hash })
  for (let length = 1; length < end; length++) {
    assert.throws(() => decodeAccountRecord(bytes.subarray(0, length)), { kind: 'STORE_CORRUPT' })
  }
  assert.throws(() => decodeAccountRecord(bytes.subarray(0, end + 1)), { kind: 'STORE_CORRUPT' })
})

test('blobs survive encoding, compressed if that is shorter', () => {
  const zeros = new Uint8Array(10_000)
  assert.ok(encodeBlob(zeros).length < 100)
  const noise = random.randomBytes(1_000)
  assert.equal(encodeBlob(noise).length, 1_001)
  for (const bytes of [zeros, noise, new Uint8Array(0), hash]) {
    assert.equal(Buffer.compare(decodeBlob(encodeBlob(bytes)), bytes), 0)
  }
  for (const broken of [[], [3, 1], [1, 1, 2, 3]]) {
    assert.throws(() => decodeBlob(Uint8Array.from(broken)), { kind: 'STORE_CORRUPT' })
  }
})

test('short blobs and headers are stored without their runs of zeros', () => {
  const header = new Uint8Array(4_000).fill(7)
  header.fill(0, 100, 3_900)
  assert.deepEqual([...encodeHeaderBlob(header).subarray(0, 3)], [2, 100, 7])
  assert.equal(encodeHeaderBlob(header).length, 1 + 1 + 100 + 2 + 1 + 100)
  const edges = [
    [0, 0, 0, 0],
    [1, 0, 0, 0],
    [0, 0, 0, 0, 1],
    [1, 0, 0, 0, 0, 0],
    [0, 0, 0, 0, 1, 0, 0, 0, 0, 2],
  ]
  for (const bytes of [header, ...edges.map((each) => Uint8Array.from(each)), new Uint8Array(511)]) {
    assert.deepEqual([...decodeBlob(encodeBlob(bytes))], [...bytes])
    assert.deepEqual([...decodeBlob(encodeHeaderBlob(bytes))], [...bytes])
  }
  const longer = concatBytes(header, header)
  assert.equal(encodeHeaderBlob(longer)[0], 1)
  assert.equal(Buffer.compare(decodeBlob(encodeHeaderBlob(longer)), longer), 0)
})

test('a damaged packed blob is refused and claims no memory', () => {
  for (const broken of [
    [2, 5, 1],
    [2, 0x80],
    [2, 0, 0xff, 0xff, 0xff, 0x7f],
    [2, 0, 0x80, 0x20, 1, 7],
  ]) {
    assert.throws(() => decodeBlob(Uint8Array.from(broken)), { kind: 'STORE_CORRUPT' })
  }
})

test('changed keys survive encoding', () => {
  const account = {
    address: random.randomBytes(20),
    incarnation: 0,
    wasDestroyed: false,
    hasFreshRoot: false,
  }
  const keys = {
    timestamp: 1_700_000_000,
    trieVersion: 9,
    batchEnd: 105,
    trieBehind: 3,
    anchor: 105,
    packedInto: undefined,
    accounts: [
      { ...account, zeroedSlots: new Uint8Array(0), slots: new Uint8Array(0) },
      {
        ...account,
        incarnation: 300,
        wasDestroyed: true,
        hasFreshRoot: true,
        zeroedSlots: hash,
        slots: hash,
      },
    ],
  }
  for (const anchor of [105, 7])
    for (const packedInto of [undefined, 100, 200]) {
      const each = { ...keys, anchor, packedInto }
      assert.deepEqual(decodeChangedKeys(100, new Uint8Array(encodeChangedKeys(100, each))), each)
    }
  assert.equal([...changedSlots(keys.accounts[1]!)].length, 2)
})

test('numbers of up to 53 bits survive encoding in as few bytes as they need', () => {
  for (const value of [0, 1, 127, 128, 16_383, 16_384, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const writer = new ValueWriter(1)
    writer.varint(value)
    assert.equal(new ValueReader(writer.view()).varint(), value)
  }
  for (const broken of [[], [0x80], [0x80, 0], new Array(9).fill(0xff)]) {
    assert.throws(() => new ValueReader(Uint8Array.from(broken)).varint(), { kind: 'STORE_CORRUPT' })
  }
})
