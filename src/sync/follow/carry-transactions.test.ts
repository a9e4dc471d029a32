import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { blobGenesis, blobTransaction } from '#pool/blob-transaction.fixture.ts'
import { type AdmissionVerdict, reject } from '#pool/submitted-transaction.ts'
import {
  intercepting,
  leftBy,
  type SyncNode,
  type SyncNodeOptions,
  startSyncNode,
} from '#sync/sync.fixture.ts'
import { pooledItem } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { encodePooledTransaction } from '#types/transaction/blob-sidecar.ts'

const TIMEOUT = { timeout: 60_000 }

async function node(t: TestContext, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  return startSyncNode(t, chain, testGenesis(), options)
}

test('a refused transaction is fetched from another peer after the head moved', TIMEOUT, async (t) => {
  let verdict: AdmissionVerdict = reject('POOL_FULL', 'The pool is full.')
  const target = await node(t, { judge: () => verdict })
  const [early, late, later] = [await node(t), await node(t), await node(t)]
  const [refused, other] = [call(0), call(1)]
  for (const { network } of [early, late, later]) network.maintain(target.enode)
  await until(() => target.network.peerCount === 3)
  early.add([refused])
  await until(() => target.admitted.length === 1)
  verdict = { ok: true }
  // The head is unchanged, so the transaction is refused unseen. The next one shows that the message arrived.
  late.add([refused, other])
  await until(() => target.admitted.length === 2)
  assert.deepEqual(
    target.admitted.map(({ hash }) => hash),
    [refused.hash, other.hash],
  )
  await extend(target.chain)
  target.sync.headMoved()
  later.add([refused])
  await until(() => target.admitted.length === 3)
  assert.equal(target.admitted[2]!.hash, refused.hash)
})

test('a new peer gets announcements of the transactions in the pool', TIMEOUT, async (t) => {
  const [source, target] = [await node(t), await node(t)]
  const waiting = call(0)
  source.add([waiting])
  source.network.maintain(target.enode)
  await until(() => target.admitted.length === 1)
  assert.equal(target.admitted[0]!.hash, waiting.hash)
})

const crypto = await loadCrypto()
const WITH_BLOBS = { ...TIMEOUT, skip: crypto.blobs === undefined ? 'the native engine is not built' : false }

async function blobNode(t: TestContext, options?: SyncNodeOptions): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  return startSyncNode(t, chain, blobGenesis({ cancunTime: 0 }), options)
}

async function pooledBlobs(sidecar?: (own: Uint8Array) => Uint8Array) {
  const made = await blobTransaction(crypto, { version: 0, count: 2 })
  const proofs = made.sidecar!.proofs.map((proof, index) => (index === 0 && sidecar ? sidecar(proof) : proof))
  const exchange = encodePooledTransaction({ ...made, sidecar: { ...made.sidecar!, proofs } })
  const { hash, encoded } = made.transaction
  return { hash, encoded, exchange, exchangeBytes: exchange.length }
}

test(
  'a transaction with blobs is announced, requested and verified, and never sent unasked',
  WITH_BLOBS,
  async (t) => {
    const sent: number[] = []
    const watched = intercepting((code, data, lane, pass) => {
      sent.push(code)
      return pass(code, data, lane)
    })
    const [source, target] = [await blobNode(t, watched), await blobNode(t)]
    source.network.maintain(target.enode)
    await until(() => target.network.peerCount === 1)
    const blobs = await pooledBlobs()
    source.add([blobs])
    await until(() => target.admitted.length === 1)
    assert.equal(target.admitted[0]!.hash, blobs.hash)
    assert.deepEqual(target.admitted[0]!.encoded, blobs.encoded)
    assert.deepEqual(target.admitted[0]!.blobs?.encoded, blobs.exchange)
    assert.ok(!sent.includes(ETH.transactions))
    assert.ok(sent.includes(ETH.pooledTransactions))
  },
)

test('a peer that sends blobs with a wrong proof is disconnected', WITH_BLOBS, async (t) => {
  const [source, target] = [await blobNode(t), await blobNode(t)]
  const left = leftBy(target)
  source.network.maintain(target.enode)
  await until(() => target.network.peerCount === 1)
  source.add([await pooledBlobs((proof) => Uint8Array.of(0xc0, ...new Uint8Array(proof.length - 1)))])
  await until(() => left.length === 1)
  assert.match(left[0]!.why, /A proof does not belong to its blob/)
  assert.deepEqual(target.admitted, [])
})

test('a peer that sends blobs without a request is disconnected', WITH_BLOBS, async (t) => {
  const blobs = await pooledBlobs()
  const instead = intercepting((code, data, lane, pass) =>
    code === ETH.newPooledTransactionHashes
      ? pass(ETH.transactions, encodeRlpList([pooledItem(blobs.exchange)]), lane)
      : pass(code, data, lane),
  )
  const [source, target] = [await blobNode(t, instead), await blobNode(t)]
  const left = leftBy(target)
  source.network.maintain(target.enode)
  await until(() => target.network.peerCount === 1)
  source.add([blobs])
  await until(() => left.length === 1)
  assert.match(left[0]!.why, /blobs without a request/)
})
