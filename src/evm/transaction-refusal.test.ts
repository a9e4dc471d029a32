import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hash } from '#types/hash.ts'
import type { BlobFields, FeeMarketFields } from '#types/transaction/transaction.ts'
import { BLOCK, OTHER, transaction } from './engine.fixture.ts'
import { NO_WAIVERS } from './engine.ts'
import { refuseTransaction, type TransactionContext } from './transaction-refusal.ts'

const CONTEXT: TransactionContext = {
  block: BLOCK,
  waivers: NO_WAIVERS,
  gasLimit: 21_000n,
  minGasLimit: 21_000n,
  gasLeftInBlock: 21_000n,
  blobGasLeftInBlock: 131_072n,
  sender: { nonce: 3n, balance: 10n ** 9n, hasCode: false },
}
const { transaction: SOUND } = transaction({ nonce: 3n, gasLimit: 21_000n })
const BLOBS: BlobFields = {
  ...(SOUND as FeeMarketFields),
  type: 3,
  to: OTHER,
  maxFeePerBlobGas: 1n,
  blobVersionedHashes: ['0x01' as Hash],
}

test('a transaction that fits the block and that its sender can pay is not refused', () => {
  assert.equal(refuseTransaction(SOUND, CONTEXT), undefined)
  assert.equal(refuseTransaction(BLOBS, CONTEXT), undefined)
})

test('each rule has its own refusal', () => {
  const { sender } = CONTEXT
  const refusals = {
    INTRINSIC_GAS_EXCEEDS_GAS_LIMIT: refuseTransaction(SOUND, { ...CONTEXT, minGasLimit: 21_001n }),
    TX_TOO_LARGE_FOR_REMAINING_GAS: refuseTransaction(SOUND, { ...CONTEXT, gasLeftInBlock: 20_999n }),
    EXCEEDS_BLOCK_GAS_LIMIT: refuseTransaction(SOUND, {
      ...CONTEXT,
      block: { ...BLOCK, gasLimit: 20_999n },
      gasLeftInBlock: 20_999n,
    }),
    TX_TOO_LARGE_FOR_REMAINING_BLOB_GAS: refuseTransaction(BLOBS, {
      ...CONTEXT,
      blobGasLeftInBlock: 131_071n,
    }),
    GAS_PRICE_BELOW_CURRENT_BASE_FEE: refuseTransaction({ ...SOUND, type: 0, gasPrice: 6n }, CONTEXT),
    BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE: refuseTransaction(
      { ...BLOBS, maxFeePerBlobGas: 0n },
      CONTEXT,
    ),
    NONCE_TOO_LOW: refuseTransaction({ ...SOUND, nonce: 2n }, CONTEXT),
    NONCE_TOO_HIGH: refuseTransaction({ ...SOUND, nonce: 4n }, CONTEXT),
    NONCE_OVERFLOW: refuseTransaction(
      { ...SOUND, nonce: 2n ** 64n - 1n },
      { ...CONTEXT, sender: { ...sender, nonce: 2n ** 64n - 1n } },
    ),
    SENDER_HAS_CODE: refuseTransaction(SOUND, { ...CONTEXT, sender: { ...sender, hasCode: true } }),
    UPFRONT_COST_EXCEEDS_BALANCE: refuseTransaction({ ...SOUND, value: 10n ** 9n - 209_999n }, CONTEXT),
  }
  for (const [reason, refusal] of Object.entries(refusals)) assert.equal(refusal?.reason, reason)
})

test('funds must cover the highest offered price, also for blobs', () => {
  assert.equal(refuseTransaction({ ...SOUND, value: 10n ** 9n - 210_000n }, CONTEXT), undefined)
  const dear = { ...BLOBS, maxFeePerBlobGas: 10n ** 5n }
  assert.equal(refuseTransaction(dear, CONTEXT)?.reason, 'UPFRONT_COST_EXCEEDS_BALANCE')
})
