import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { call, extend, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import {
  intercepting,
  type SyncNode,
  type SyncNodeOptions,
  sending,
  startSyncNode,
} from '#sync/sync.fixture.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { parseDataLenient } from '#types/hex.ts'

const TIMEOUT = { timeout: 60_000 }
const SEED = Number(process.env.CAIRN_SEED ?? Date.now() % 2 ** 31)
/** Deadlines are this many times shorter. */
const PACE = 10

async function node(t: TestContext, options: SyncNodeOptions = {}): Promise<SyncNode> {
  const chain = await openTestChain()
  const started = await startSyncNode(t, chain, testGenesis(), { pace: PACE, ...options })
  // Closed after the node has stopped, which was registered before: its timers read the chain.
  t.after(() => chain.close())
  return started
}

const headOf = ({ chain }: SyncNode): number => Number(chain.head.header.number)
const isNews = (code: number): boolean => code === ETH.newBlock || code === ETH.newBlockHashes

/** A node with seven peers that have no other one, and the codes of the messages by which it announced blocks. */
async function star(t: TestContext): Promise<{ source: SyncNode; peers: SyncNode[]; sent: number[] }> {
  const sent: number[] = []
  const source = await node(
    t,
    intercepting((code, data, lane, pass) => {
      if (isNews(code)) sent.push(code)
      return pass(code, data, lane)
    }),
  )
  const peers = await Promise.all(Array.from({ length: 7 }, () => node(t)))
  for (const peer of peers) peer.network.maintain(source.enode)
  await until(() => source.network.peers().filter((each) => each.protocols[0]?.facts?.head).length === 7)
  return { source, peers, sent }
}

function count(sent: number[], code: number): number {
  return sent.filter((each) => each === code).length
}

test('a peer that got the hash requests the block, and gets later ones complete', TIMEOUT, async (t) => {
  const { source, peers, sent } = await star(t)
  await extend(source.chain, [call(0)])
  source.sync.headMoved()
  assert.deepEqual([count(sent, ETH.newBlock), count(sent, ETH.newBlockHashes)], [4, 3])
  await until(() => peers.every((peer) => headOf(peer) === 1))
  sent.length = 0
  // The three peers had no other source. Of the other four, all are drawn.
  await extend(source.chain)
  source.sync.headMoved()
  await until(() => peers.every((peer) => headOf(peer) === 2))
  assert.deepEqual([count(sent, ETH.newBlock), count(sent, ETH.newBlockHashes)], [7, 0])
})

test('a node announces blocks however far its clock is ahead', TIMEOUT, async (t) => {
  const source = await node(t, { wallMs: () => 3_600_000 })
  const peer = await node(t)
  peer.network.maintain(source.enode)
  await until(() => source.network.peers().some((each) => each.protocols[0]?.facts?.head))
  await extend(source.chain)
  source.sync.headMoved()
  await until(() => headOf(peer) === 1)
  assert.equal(peer.imports.length, 1)
})

test('a syncing node announces no block to a peer that is far ahead', TIMEOUT, async (t) => {
  const sent: number[] = []
  const source = await node(
    t,
    intercepting((code, data, lane, pass) => {
      if (isNews(code)) sent.push(code)
      return pass(code, data, lane)
    }),
  )
  const peer = await node(t)
  peer.network.maintain(source.enode)
  await until(() => source.network.peers().some((each) => each.protocols[0]?.facts?.head))
  const id = source.network.peers()[0]!.enode.id
  await extend(source.chain)
  source.sync.peerAhead(id, 258)
  source.sync.headMoved()
  assert.equal(sent.length, 0)
  await extend(source.chain)
  source.sync.headMoved()
  assert.equal(sent.length, 1)
})

test('validators get complete blocks', TIMEOUT, async (t) => {
  const { source, peers, sent } = await star(t)
  const validators = peers.slice(0, 3).map(({ enode }) => addressFromPublicKey(parseDataLenient(enode.id)))
  await extend(source.chain)
  source.sync.headMoved(validators)
  assert.deepEqual([count(sent, ETH.newBlock), count(sent, ETH.newBlockHashes)], [7, 0])
  await until(() => peers.every((peer) => headOf(peer) === 1))
  assert.ok(peers.every((peer) => peer.imports.length === 1))
})

test('validators that took part in consensus get the hash', TIMEOUT, async (t) => {
  const { source, peers, sent } = await star(t)
  const validators = peers.map(({ enode }) => addressFromPublicKey(parseDataLenient(enode.id)))
  await extend(source.chain)
  source.sync.headMoved(validators, validators.slice(0, 5))
  assert.deepEqual([count(sent, ETH.newBlock), count(sent, ETH.newBlockHashes)], [2, 5])
  await until(() => peers.every((peer) => headOf(peer) === 1))
  sent.length = 0
  // Five validators missed messages of consensus and requested the block.
  await extend(source.chain)
  source.sync.headMoved(validators, validators.slice(0, 5))
  assert.deepEqual([count(sent, ETH.newBlock), count(sent, ETH.newBlockHashes)], [7, 0])
})

test(`every node gets each block although a peer withholds it (CAIRN_SEED=${SEED})`, TIMEOUT, async (t) => {
  const random = createSeededRandom(SEED)
  // It announces blocks by hash alone and answers no request.
  const withholding = sending((code, data) =>
    [ETH.newBlock, ETH.blockHeaders, ETH.blockBodies].some((each) => each === code) ? undefined : data,
  )
  const withholder = await node(t, withholding)
  const honest = await Promise.all(Array.from({ length: 9 }, () => node(t)))
  // A random tree connects the honest nodes, and each is a peer of the withholding node.
  for (const [index, each] of honest.entries()) {
    each.network.maintain(withholder.enode)
    for (let links = 0; index > 0 && links < 2; links++)
      each.network.maintain(honest[random.randomBelow(index)]!.enode)
  }
  await until(() =>
    honest.every(({ network }) => network.peers().some((peer) => peer.protocols[0]?.facts?.head)),
  )
  await until(() => withholder.network.peerCount === honest.length)
  for (let number = 1; number <= 4; number++) {
    const source = honest[random.randomBelow(honest.length)]!
    await extend(source.chain)
    source.sync.headMoved()
    await until(() => honest.every((each) => headOf(each) === number))
    assert.equal(new Set(honest.map(({ chain }) => chain.head.hash)).size, 1)
  }
})
