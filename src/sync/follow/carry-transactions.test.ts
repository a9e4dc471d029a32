import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { type AdmissionVerdict, reject } from '#pool/submitted-transaction.ts'
import { type SyncNode, type SyncNodeOptions, startSyncNode } from '#sync/sync.fixture.ts'

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
