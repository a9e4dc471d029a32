import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesOf } from '#evm/engine.fixture.ts'
import { blobBaseFee, nextExcessBlobGas } from './blob-gas.ts'

const CANCUN = rulesOf({ cancunTime: 0 })
const OSAKA = rulesOf({ osakaTime: 0 })
const BLOB = 131_072n

test('the fee follows the excess as in the vectors of EIP-4844', () => {
  const fees = [0n, 2_314_057n, 2_314_058n, 10n * 2n ** 20n].map((excess) => blobBaseFee(CANCUN, excess))
  assert.deepEqual(fees, [1n, 1n, 2n, 23n])
  assert.equal(blobBaseFee(rulesOf({ shanghaiTime: 0 }), 5n), 0n)
})

test('the excess is what was used above the target', () => {
  const parent = { excessBlobGas: 0n, blobGasUsed: 4n * BLOB, baseFeePerGas: 7n }
  assert.equal(nextExcessBlobGas(CANCUN, parent), BLOB)
  assert.equal(nextExcessBlobGas(CANCUN, { ...parent, blobGasUsed: 2n * BLOB }), 0n)
})

test('from Osaka on blobs that cost less than the gas around them fall more slowly', () => {
  const parent = { excessBlobGas: 10n * BLOB, blobGasUsed: 6n * BLOB, baseFeePerGas: 10n ** 9n }
  assert.equal(nextExcessBlobGas(OSAKA, parent), 12n * BLOB)
  assert.equal(nextExcessBlobGas(OSAKA, { ...parent, baseFeePerGas: 1n }), 10n * BLOB)
})
