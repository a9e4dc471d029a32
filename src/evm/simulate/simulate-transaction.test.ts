import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, rulesOf } from '#evm/engine.fixture.ts'
import type { Rules } from '#evm/rules.ts'
import { parseAddress } from '#types/address.ts'
import { parseHash } from '#types/hash.ts'
import { CALL_POLICIES, type CallPolicy, type CallRequest } from './call-request.ts'
import { type CallConditions, callEnvironment, prepareCall } from './simulate-transaction.ts'

const FROM = parseAddress('11'.repeat(20))
const TO = parseAddress('22'.repeat(20))
const BLOB = parseHash(`01${'00'.repeat(31)}`)
const GAS = 100_000n
const CANCUN = rulesOf({ cancunTime: 0 })
const ISTANBUL = rulesOf({ istanbulBlock: 0 })

function contextOf(policy: CallPolicy, rules: Rules = CANCUN): CallConditions {
  const block = { ...BLOCK, baseFeePerGas: 10n, blobBaseFee: 3n }
  return {
    rules,
    block: callEnvironment(block, policy),
    hasBaseFee: rules.has('london'),
    policy,
    gasLimit: GAS,
    state: {
      account: (address) =>
        address[0] === 0x11 ? { nonce: 5n, balance: 1000n, codeHash: new Uint8Array(32) } : undefined,
      storage: () => undefined,
      code: () => undefined,
      blockHash: () => undefined,
    },
  }
}

function reasonOf(call: CallRequest, policy: CallPolicy, rules?: Rules): string {
  const prepared = prepareCall({ from: FROM, to: TO, ...call }, contextOf(policy, rules))
  return prepared.ok ? 'none' : prepared.refusal.reason
}

test('a free call pays nothing and must own only its value', () => {
  const prepared = prepareCall({ from: FROM, to: TO, gasPrice: 99n }, contextOf(CALL_POLICIES.freeCall))
  assert.ok(prepared.ok)
  assert.partialDeepStrictEqual(prepared.transaction, { type: 0, gasPrice: 0n, gasLimit: GAS, nonce: 5n })
  assert.equal(reasonOf({ value: 1000n }, CALL_POLICIES.freeCall), 'none')
  assert.equal(reasonOf({ value: 1001n }, CALL_POLICIES.freeCall), 'UPFRONT_COST_EXCEEDS_BALANCE')
})

test('a call without a price costs the base fee, unless gas is free', () => {
  const prepared = prepareCall({ to: TO, gas: 21_000n }, contextOf(CALL_POLICIES.estimate))
  assert.ok(prepared.ok)
  assert.partialDeepStrictEqual(prepared.transaction, {
    type: 2,
    maxFeePerGas: 10n,
    maxPriorityFeePerGas: 10n,
  })
  assert.equal(reasonOf({}, CALL_POLICIES.pricedCall), 'UPFRONT_COST_EXCEEDS_BALANCE')
})

test('an estimate may lack the funds for gas and be below the base fee', () => {
  assert.equal(reasonOf({ gasPrice: 1n }, CALL_POLICIES.estimate), 'none')
  assert.equal(reasonOf({ gasPrice: 1n }, CALL_POLICIES.pricedCall), 'GAS_PRICE_BELOW_CURRENT_BASE_FEE')
})

test('a used nonce is refused, and a later one is accepted if the policy allows it', () => {
  assert.equal(reasonOf({ nonce: 4n }, CALL_POLICIES.freeCall), 'NONCE_TOO_LOW')
  assert.equal(reasonOf({ nonce: 6n }, CALL_POLICIES.freeCall), 'none')
  assert.equal(
    reasonOf({ nonce: 6n, maxFeePerGas: 10n, gas: 21_000n, from: TO }, CALL_POLICIES.validatedBlock),
    'UPFRONT_COST_EXCEEDS_BALANCE',
  )
  assert.equal(reasonOf({ nonce: 2n ** 64n - 1n }, CALL_POLICIES.strict), 'NONCE_OVERFLOW')
})

test('the type follows from the given fields and must exist in the fork', () => {
  const typeOf = (call: CallRequest) => {
    const prepared = prepareCall({ to: TO, ...call }, contextOf(CALL_POLICIES.freeCall))
    return prepared.ok ? prepared.transaction.type : prepared.refusal.reason
  }
  assert.equal(typeOf({ gasPrice: 1n }), 0)
  assert.equal(typeOf({ gasPrice: 1n, accessList: [] }), 1)
  assert.equal(typeOf({}), 2)
  assert.equal(typeOf({ blobVersionedHashes: [BLOB] }), 3)
  assert.equal(reasonOf({ accessList: [] }, CALL_POLICIES.freeCall, ISTANBUL), 'INVALID_TRANSACTION_FORMAT')
  assert.equal(
    reasonOf({ blobVersionedHashes: [BLOB], to: undefined }, CALL_POLICIES.freeCall),
    'INVALID_TRANSACTION_FORMAT',
  )
})

test('gas below the intrinsic cost is refused, and too many blobs are too', () => {
  assert.equal(reasonOf({ gas: 20_999n }, CALL_POLICIES.freeCall), 'INTRINSIC_GAS_EXCEEDS_GAS_LIMIT')
  const blobVersionedHashes = Array.from({ length: 7 }, () => BLOB)
  assert.equal(reasonOf({ blobVersionedHashes }, CALL_POLICIES.freeCall), 'TOTAL_BLOB_GAS_TOO_HIGH')
  const price = { blobVersionedHashes: [BLOB], maxFeePerBlobGas: 2n, maxFeePerGas: 10n, gas: 21_000n }
  assert.equal(reasonOf(price, CALL_POLICIES.pricedCall), 'BLOB_GAS_PRICE_BELOW_CURRENT_BLOB_BASE_FEE')
})
