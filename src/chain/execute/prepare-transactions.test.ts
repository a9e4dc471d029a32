import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, RICH, SOMEBODY, testGenesis } from '#chain/chain.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import type { Engine } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { rulesAt } from '#evm/rules.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { prepareTransactions, recoverSendersBeside } from './prepare-transactions.ts'

const crypto = await loadCrypto()
const rules = rulesAt(testGenesis().config, { number: 1n, timestamp: 1n, difficulty: 1n })
const verdict = createNativeEngine()
/** Tests also run without the native engine. */
const skip = verdict.ok ? false : `not built: ${verdict.sentence}`
const native = (verdict as { engine: Engine }).engine
/** No point of the curve has 5 as its x. */
const FORGED = completeTransaction(call(1), { r: 5n, s: 1n, yParity: 0 })

test('an engine with its own threads recovers the senders, one without leaves them undefined', {
  skip,
}, async () => {
  const transactions = [call(0), FORGED, call(2)]
  assert.deepEqual(await recoverSendersBeside(native, transactions, crypto), [RICH, undefined, RICH])
  assert.equal(await recoverSendersBeside(await createJsEngine(), transactions, crypto), undefined)
})

test('only unknown senders are recovered', async () => {
  const transactions = [call(0), FORGED, call(2), call(3)]
  const asked: number[] = []
  const engine = {
    ...(await createJsEngine()),
    recoverSenders: async (signed: readonly unknown[]) => {
      asked.push(signed.length)
      return [undefined, RICH]
    },
  }
  const known = [SOMEBODY, undefined, undefined, RICH]
  const senders = await recoverSendersBeside(engine, transactions, crypto, known)
  assert.deepEqual(senders, [SOMEBODY, undefined, RICH, RICH])
  assert.deepEqual(await recoverSendersBeside(engine, [call(0)], crypto, [RICH]), [RICH])
  assert.deepEqual(asked, [2])
})

test('a transaction with an impossible signature is refused with the same text by every recovery path', {
  skip,
}, async () => {
  const transactions = [call(0), FORGED]
  const senders = await recoverSendersBeside(native, transactions, crypto)
  const prepared = prepareTransactions(transactions, rules, crypto, senders)
  assert.equal(prepared.ok, false)
  assert.deepEqual(prepared, prepareTransactions(transactions, rules, crypto))
})
