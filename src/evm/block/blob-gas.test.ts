import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesOf } from '#evm/engine.fixture.ts'
import { MAX_UINT64, MAX_UINT256 } from '#types/bytes.ts'
import { blobBaseFee, nextExcessBlobGas } from './blob-gas.ts'

const CANCUN = rulesOf({ cancunTime: 0 })
const OSAKA = rulesOf({ osakaTime: 0 })
const BLOB = 131_072n

test('the fee follows the excess as in the vectors of EIP-4844', () => {
  const fees = [0n, 2_314_057n, 2_314_058n, 10n * 2n ** 20n].map((excess) => blobBaseFee(CANCUN, excess))
  assert.deepEqual(fees, [1n, 1n, 2n, 23n])
  assert.equal(blobBaseFee(rulesOf({ shanghaiTime: 0 }), 5n), 0n)
})

test('an excess beyond any market has the largest price, and is computed at once', () => {
  const startedMs = performance.now()
  for (const excess of [10n ** 12n, MAX_UINT64]) assert.equal(blobBaseFee(CANCUN, excess), MAX_UINT256)
  const parent = { excessBlobGas: MAX_UINT64, blobGasUsed: MAX_UINT64, baseFeePerGas: MAX_UINT256 }
  assert.equal(nextExcessBlobGas(CANCUN, parent), MAX_UINT64)
  assert.equal(nextExcessBlobGas(OSAKA, parent), MAX_UINT64)
  assert.ok(performance.now() - startedMs < 5_000)
})

test('blobs cost nothing if the genesis file sets the base fee to zero or fixes it', () => {
  for (const option of ['zeroBaseFee', 'fixedBaseFee']) {
    assert.equal(blobBaseFee(rulesOf({ cancunTime: 0, [option]: true }), 10n ** 8n), 0n)
  }
})

test('the excess is the usage above the target', () => {
  const parent = { excessBlobGas: 0n, blobGasUsed: 4n * BLOB, baseFeePerGas: 7n }
  assert.equal(nextExcessBlobGas(CANCUN, parent), BLOB)
  assert.equal(nextExcessBlobGas(CANCUN, { ...parent, blobGasUsed: 2n * BLOB }), 0n)
})

test('from Osaka on the excess falls more slowly while blobs are cheaper than ordinary gas', () => {
  const parent = { excessBlobGas: 10n * BLOB, blobGasUsed: 6n * BLOB, baseFeePerGas: 10n ** 9n }
  assert.equal(nextExcessBlobGas(OSAKA, parent), 12n * BLOB)
  assert.equal(nextExcessBlobGas(OSAKA, { ...parent, baseFeePerGas: 1n }), 10n * BLOB)
})
