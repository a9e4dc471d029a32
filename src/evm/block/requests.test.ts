import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytes, CONTRACT, OTHER, word } from '#evm/engine.fixture.ts'
import { hashRequests } from '#types/block/requests.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Hash } from '#types/hash.ts'
import { createRequest, depositsFromLogs } from './requests.ts'

const TOPIC = '0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5' as Hash

function field(length: number, filler: number): Uint8Array {
  const padded = new Uint8Array(Math.ceil(length / 32) * 32)
  return concatBytes(word(length), padded.fill(filler, 0, length))
}

const DEPOSIT = concatBytes(
  ...[160, 256, 320, 384, 512].map(word),
  ...[field(48, 1), field(32, 2), field(8, 3), field(96, 4), field(8, 5)],
)

test('no requests have the hash of nothing, and empty ones do not count', () => {
  const nothing = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  assert.equal(hashRequests([]), nothing)
  assert.equal(hashRequests(createRequest(1, new Uint8Array(0))), nothing)
  assert.notEqual(hashRequests(createRequest(1, bytes('00'))), nothing)
})

test('deposits are the fields that the deposit contract logged, in order', () => {
  const log = { address: CONTRACT, topics: [TOPIC], data: DEPOSIT }
  const verdict = depositsFromLogs([log, { ...log, address: OTHER }, { ...log, topics: [] }], CONTRACT)
  assert.ok(verdict.ok)
  assert.equal(verdict.content.length, 192)
  assert.deepEqual(
    [0, 48, 80, 88, 184].map((at) => verdict.content[at]),
    [1, 2, 3, 4, 5],
  )
})

test('a block with misplaced deposit fields is invalid', () => {
  const log = { address: CONTRACT, topics: [TOPIC], data: DEPOSIT }
  for (const at of [31, 63, 160 + 31, 512 + 31]) {
    const data = Uint8Array.from(DEPOSIT, (byte, index) => (index === at ? byte + 1 : byte))
    assert.equal(depositsFromLogs([{ ...log, data }], CONTRACT).ok, false, `${at}`)
  }
  assert.equal(depositsFromLogs([{ ...log, data: DEPOSIT.subarray(1) }], CONTRACT).ok, false)
})
