import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLAIN_TRANSACTIONS } from './transaction.fixture.ts'
import {
  blobGas,
  effectiveGasPrice,
  maxCostWei,
  maxFeePerGas,
  maxPriorityFeePerGas,
} from './transaction-fees.ts'

const [legacy, , feeMarket, blob] = PLAIN_TRANSACTIONS

test('a gas price is both the maximum fee and the maximum tip', () => {
  assert.deepEqual([maxFeePerGas(legacy), maxPriorityFeePerGas(legacy)], [legacy.gasPrice, legacy.gasPrice])
  assert.equal(effectiveGasPrice(legacy, 7n), legacy.gasPrice)
  assert.equal(effectiveGasPrice(legacy, undefined), legacy.gasPrice)
})

test('with a fee market the price is base fee plus tip, up to the maximum fee', () => {
  assert.deepEqual([maxFeePerGas(feeMarket), maxPriorityFeePerGas(feeMarket)], [feeMarket.maxFeePerGas, 2n])
  assert.equal(effectiveGasPrice(feeMarket, 7n), 9n)
  assert.equal(effectiveGasPrice(feeMarket, feeMarket.maxFeePerGas - 1n), feeMarket.maxFeePerGas)
})

test('the maximum cost is gas, value and blobs', () => {
  assert.equal(maxCostWei(legacy), 21_000n * legacy.gasPrice + legacy.value)
  assert.deepEqual([blobGas(legacy), blobGas(blob)], [0n, 131_072n])
  assert.equal(maxCostWei(blob), 21_000n * blob.maxFeePerGas + blob.value + 131_072n)
})
