import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHash } from '#types/hash.ts'
import { floorGas, intrinsicGas, minGasLimit } from './intrinsic-gas.ts'
import { PLAIN_TRANSACTIONS } from './transaction.fixture.ts'

const [legacy, accessList, , , setCode] = PLAIN_TRANSACTIONS
const DATA = Uint8Array.of(0, 0, 0, 1, 2)

test('a transfer costs 21000 on every fork', () => {
  for (const fork of ['frontier', 'istanbul', 'osaka'] as const)
    assert.equal(intrinsicGas(legacy, fork), 21_000n)
})

test('a non-zero byte costs 68, and 16 from Istanbul on', () => {
  const transaction = { ...legacy, data: DATA }
  assert.equal(intrinsicGas(transaction, 'petersburg'), 21_000n + 3n * 4n + 2n * 68n)
  assert.equal(intrinsicGas(transaction, 'istanbul'), 21_000n + 3n * 4n + 2n * 16n)
})

test('a creation costs 32000 more from Homestead on, and its words from Shanghai on', () => {
  const creation = { ...legacy, to: null, data: new Uint8Array(33) }
  const forData = 21_000n + 33n * 4n
  assert.equal(intrinsicGas(creation, 'frontier'), forData)
  assert.equal(intrinsicGas(creation, 'homestead'), forData + 32_000n)
  assert.equal(intrinsicGas(creation, 'paris'), forData + 32_000n)
  assert.equal(intrinsicGas(creation, 'shanghai'), forData + 32_000n + 2n * 2n)
})

test('list entries are charged, including repeated ones', () => {
  const key = parseHash('00'.repeat(32))
  const entry = { address: legacy.to, storageKeys: [key, key] }
  const list = [entry, entry, { ...entry, storageKeys: [] }]
  assert.equal(
    intrinsicGas({ ...accessList, accessList: list }, 'berlin'),
    21_000n + 3n * 2_400n + 4n * 1_900n,
  )
  const [authorization] = setCode.authorizationList
  const twice = { ...setCode, authorizationList: [authorization, authorization] }
  assert.equal(intrinsicGas(twice, 'prague'), 21_000n + 2n * 25_000n)
})

test('from Prague on there is a floor for data', () => {
  const transaction = { ...legacy, data: DATA }
  assert.equal(floorGas(transaction, 'cancun'), 0n)
  assert.equal(floorGas(transaction, 'prague'), 21_000n + (3n + 2n * 4n) * 10n)
  assert.equal(minGasLimit(transaction, 'cancun'), intrinsicGas(transaction, 'cancun'))
  assert.equal(minGasLimit(transaction, 'prague'), floorGas(transaction, 'prague'))
  const creation = { ...transaction, to: null }
  assert.equal(minGasLimit(creation, 'prague'), intrinsicGas(creation, 'prague'))
})
