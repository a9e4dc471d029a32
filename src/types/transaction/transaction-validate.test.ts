import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseHash } from '#types/hash.ts'
import { PLAIN_TRANSACTIONS } from './transaction.fixture.ts'
import type { TransactionSignature, UnsignedTransaction } from './transaction.ts'
import { completeTransaction } from './transaction-encode.ts'
import { type TransactionRules, validateTransaction } from './transaction-validate.ts'

const [legacy, accessList, feeMarket, blob, setCodeWithoutGas] = PLAIN_TRANSACTIONS
const setCode = { ...setCodeWithoutGas, gasLimit: 46_000n }
const SIGNATURE: TransactionSignature = { yParity: 0, r: 1n, s: 1n }
const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

function judge(
  unsigned: UnsignedTransaction,
  rules: Partial<TransactionRules> = {},
  signature: TransactionSignature = SIGNATURE,
): string {
  const transaction = completeTransaction(unsigned, signature)
  const verdict = validateTransaction(transaction, { fork: 'prague', chainId: 1n, ...rules })
  return verdict.ok ? 'valid' : verdict.reason
}

test('a plain transaction of every type is valid if its fork is active', () => {
  for (const unsigned of [legacy, accessList, feeMarket, blob, setCode])
    assert.equal(judge(unsigned), 'valid')
})

test('a type is refused before its fork', () => {
  for (const [unsigned, before, from] of [
    [accessList, 'muirGlacier', 'berlin'],
    [feeMarket, 'berlin', 'london'],
    [blob, 'shanghai', 'cancun'],
    [setCode, 'cancun', 'prague'],
  ] as const) {
    assert.equal(judge(unsigned, { fork: before }), 'INVALID_TRANSACTION_FORMAT')
    assert.equal(judge(unsigned, { fork: from }), 'valid')
  }
})

test("a chain id is allowed from Spurious Dragon on, and must be this chain's", () => {
  assert.equal(judge(legacy, { fork: 'tangerineWhistle' }), 'REPLAY_PROTECTED_SIGNATURES_NOT_SUPPORTED')
  assert.equal(judge(legacy, { fork: 'spuriousDragon' }), 'valid')
  assert.equal(judge(legacy, { chainId: 2n }), 'WRONG_CHAIN_ID')
  assert.equal(judge(feeMarket, { chainId: 2n }), 'WRONG_CHAIN_ID')
  assert.equal(judge({ ...legacy, chainId: null }, { chainId: 2n }), 'valid')
})

test('s must be in the lower half from Homestead on', () => {
  const unprotected = { ...legacy, chainId: null }
  const high: TransactionSignature = { ...SIGNATURE, s: HALF_ORDER + 1n }
  assert.equal(judge(unprotected, { fork: 'homestead' }, { ...SIGNATURE, s: HALF_ORDER }), 'valid')
  assert.equal(judge(unprotected, { fork: 'homestead' }, high), 'INVALID_SIGNATURE')
  assert.equal(judge(unprotected, { fork: 'frontier' }, high), 'valid')
})

test('the highest nonce is refused', () => {
  assert.equal(judge({ ...legacy, nonce: 2n ** 64n - 2n }), 'valid')
  assert.equal(judge({ ...legacy, nonce: 2n ** 64n - 1n }), 'NONCE_OVERFLOW')
})

test('the tip must not exceed the fee', () => {
  const { maxFeePerGas } = feeMarket
  assert.equal(judge({ ...feeMarket, maxPriorityFeePerGas: maxFeePerGas }), 'valid')
  assert.equal(
    judge({ ...feeMarket, maxPriorityFeePerGas: maxFeePerGas + 1n }),
    'MAX_PRIORITY_FEE_PER_GAS_EXCEEDS_MAX_FEE_PER_GAS',
  )
})

test('the gas must not cost more than a word of wei', () => {
  assert.equal(judge({ ...legacy, gasPrice: 2n ** 256n / 21_000n }), 'valid')
  assert.equal(judge({ ...legacy, gasPrice: 2n ** 256n / 21_000n + 1n }), 'UPFRONT_COST_EXCEEDS_UINT256')
})

test('the gas limit must cover the transaction and not exceed the cap of Osaka', () => {
  assert.equal(judge({ ...legacy, gasLimit: 20_999n }), 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT')
  const withData = { ...legacy, data: Uint8Array.of(1), gasLimit: 21_030n }
  assert.equal(judge(withData, { fork: 'cancun' }), 'valid')
  assert.equal(judge(withData, { fork: 'prague' }), 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT')
  const large = { ...legacy, gasLimit: 2n ** 24n + 1n }
  assert.equal(judge(large, { fork: 'prague' }), 'valid')
  assert.equal(judge(large, { fork: 'osaka' }), 'EXCEEDS_TRANSACTION_GAS_LIMIT')
  assert.equal(judge({ ...large, gasLimit: 2n ** 24n }, { fork: 'osaka' }), 'valid')
})

test('initcode is limited if the rules set a limit', () => {
  const creation = { ...legacy, to: null, data: new Uint8Array(10), gasLimit: 100_000n }
  assert.equal(judge(creation), 'valid')
  assert.equal(judge(creation, { maxInitcodeBytes: 10 }), 'valid')
  assert.equal(judge(creation, { maxInitcodeBytes: 9 }), 'INITCODE_TOO_LARGE')
  assert.equal(judge({ ...creation, to: legacy.to }, { maxInitcodeBytes: 9 }), 'valid')
})

test('blobs must be at least one, within the limit, and of version 1', () => {
  const [hash] = blob.blobVersionedHashes
  assert.equal(judge({ ...blob, blobVersionedHashes: [] }), 'INVALID_BLOBS')
  assert.equal(judge({ ...blob, blobVersionedHashes: [hash, hash] }, { maxBlobs: 2 }), 'valid')
  assert.equal(
    judge({ ...blob, blobVersionedHashes: [hash, hash] }, { maxBlobs: 1 }),
    'TOTAL_BLOB_GAS_TOO_HIGH',
  )
  assert.equal(judge({ ...blob, blobVersionedHashes: [parseHash('02'.repeat(32))] }), 'INVALID_BLOBS')
})

test('a list of authorizations must not be empty', () => {
  assert.equal(judge({ ...setCode, authorizationList: [] }), 'EMPTY_CODE_DELEGATION')
})
