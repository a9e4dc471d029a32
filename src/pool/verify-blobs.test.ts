import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestChain } from '#chain/chain.fixture.ts'
import { createChainView } from '#chain/read/create-chain-view.ts'
import { loadCrypto } from '#evm/crypto.ts'
import {
  CELLS_PER_BLOB,
  decodePooledTransaction,
  encodePooledTransaction,
} from '#types/transaction/blob-sidecar.ts'
import { blobGenesis, blobTransaction } from './blob-transaction.fixture.ts'
import { Intake } from './intake.ts'
import type { SubmittedTransaction } from './submitted-transaction.ts'

const crypto = await loadCrypto()
const skip = crypto.blobs === undefined ? 'the native engine is not built' : false
const chain = await openTestChain()
after(() => chain.close())
const CANCUN = { cancunTime: 0 }
const OSAKA = { ...CANCUN, pragueTime: 0, osakaTime: 0 }

function openIntake(forks: Readonly<Record<string, number>>, { converts = false, isNative = true } = {}) {
  const admitted: SubmittedTransaction[] = []
  const intake = new Intake({
    chain: createChainView({ store: chain.store, genesis: blobGenesis(forks) }),
    crypto: isNative ? crypto : { ...crypto, blobs: undefined },
    rules: { feeCapWei: 0n, needsChainId: false, convertsBlobs: converts },
    admit: async (submissions) => {
      admitted.push(...submissions)
      return submissions.map(() => ({ ok: true }))
    },
  })
  const submit = async (bytes: Uint8Array) => {
    const verdict = await intake.submit(bytes)
    return verdict.ok ? 'ok' : verdict.reason
  }
  return { admitted, intake, submit }
}

test('verified blobs reach the pool with their hashes, in the form of the fork', { skip }, async () => {
  for (const [forks, version] of [
    [CANCUN, 0],
    [OSAKA, 1],
  ] as const) {
    const { admitted, submit } = openIntake(forks)
    const { transaction, encoded } = await blobTransaction(crypto, { version, count: 2 })
    assert.equal(await submit(encoded), 'ok')
    assert.ok(transaction.type === 3)
    assert.equal(admitted[0]!.hash, transaction.hash)
    assert.deepEqual(admitted[0]!.encoded, transaction.encoded)
    assert.deepEqual(admitted[0]!.blobs, { version, hashes: transaction.blobVersionedHashes, encoded })
    assert.equal(
      await submit((await blobTransaction(crypto, { version: version === 0 ? 1 : 0 })).encoded),
      'WRONG_BLOB_PROOFS',
    )
  }
})

test("a client's blob proofs become cell proofs from Osaka on", { skip }, async () => {
  const { admitted, submit } = openIntake(OSAKA, { converts: true })
  const { transaction, encoded } = await blobTransaction(crypto, { version: 0 })
  assert.equal(await submit(encoded), 'ok')
  const { sidecar } = decodePooledTransaction(admitted[0]!.blobs!.encoded)
  assert.equal(admitted[0]!.hash, transaction.hash)
  assert.equal(sidecar!.proofs.length, CELLS_PER_BLOB)
  assert.equal(await crypto.blobs!.verify(sidecar!), true)
})

test('blobs with wrong proofs or commitments are refused', { skip }, async () => {
  const { admitted, submit } = openIntake(CANCUN)
  const { transaction, sidecar } = await blobTransaction(crypto, { version: 0 })
  const other = await blobTransaction(crypto, { version: 0, count: 2 })
  const [, blob] = other.sidecar!.blobs
  for (const wrong of [
    { ...sidecar!, blobs: [blob!] },
    { ...sidecar!, proofs: [other.sidecar!.proofs[1]!] },
    { ...sidecar!, commitments: [other.sidecar!.commitments[1]!] },
    other.sidecar!,
  ]) {
    assert.equal(await submit(encodePooledTransaction({ transaction, sidecar: wrong })), 'INVALID_BLOBS')
  }
  assert.deepEqual(admitted, [])
})

test('only some transactions wait for verification, and the others are refused', { skip }, async () => {
  const { submit } = openIntake(CANCUN)
  const { encoded } = await blobTransaction(crypto, { version: 0 })
  const verdicts = await Promise.all(Array.from({ length: 66 }, () => submit(encoded)))
  assert.deepEqual(
    verdicts.filter((verdict) => verdict !== 'ok'),
    ['POOL_BUSY', 'POOL_BUSY'],
  )
})

test('without the native engine, blobs are refused with the reason', { skip }, async () => {
  const { intake } = openIntake(CANCUN, { isNative: false })
  const verdict = await intake.submit((await blobTransaction(crypto, { version: 0 })).encoded)
  assert.ok(!verdict.ok)
  assert.equal(verdict.reason, 'INVALID_TRANSACTION_FORMAT')
  assert.match(verdict.sentence, /cannot verify blobs, because the native engine is missing/)
})
