import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { extend, GENESIS_TEXT, openTestChain, testGenesis } from '#chain/chain.fixture.ts'
import { testPeers, until } from '#p2p/peers/peers.fixture.ts'
import type { PeerLink } from '#p2p/peers/protocol.ts'
import { type SyncNode, startSyncNode } from '#sync/sync.fixture.ts'
import { decodeNewBlock } from '#sync/wire/announcements.ts'
import { encodeAskedHashes } from '#sync/wire/block-requests.ts'
import { ETH, messageCount } from '#sync/wire/eth-codes.ts'
import { decodeStatus } from '#sync/wire/status.ts'
import { parseGenesis } from '#types/genesis/genesis.ts'
import { parseData } from '#types/hex.ts'

const TIMEOUT = { timeout: 60_000 }
const BLOCKS = 5
const LIMIT = { maxBytes: 1024 * 1024, perSecond: 1_000 }

async function node(t: TestContext, genesis = testGenesis()): Promise<SyncNode> {
  const chain = await openTestChain()
  t.after(() => chain.close())
  for (let number = 0; number < BLOCKS; number++) await extend(chain)
  return startSyncNode(t, chain, genesis)
}

/** A peer that speaks only eth/68, returns the Status it gets, and keeps all messages. */
async function listener(t: TestContext, target: SyncNode) {
  const heard: { readonly code: number; readonly data: Uint8Array }[] = []
  const { network } = await testPeers([
    {
      name: 'eth',
      version: 68,
      messageCount: messageCount(68),
      limitOf: () => LIMIT,
      connect: (link: PeerLink) => ({
        onMessage: (code, data) => {
          heard.push({ code, data: data.slice() })
          if (code === ETH.status) link.send(ETH.status, data, 'bulk')
          // The node asks for the header of our head, which is its own.
          if (code === ETH.getBlockHeaders) link.send(ETH.getBlockHeaders, data, 'bulk')
          if (code === ETH.blockHeaders) link.send(ETH.blockHeaders, data, 'bulk')
        },
      }),
    },
  ])
  t.after(() => network.stop())
  network.maintain(target.enode)
  const find = (wanted: number) => heard.find(({ code }) => code === wanted)?.data
  return { heard, find }
}

test('Status and NewBlock of eth/68 carry the total difficulty of the chain', TIMEOUT, async (t) => {
  const full = await node(t)
  const { difficulty } = full.chain.head.header
  const { find } = await listener(t, full)
  await until(() => find(ETH.status) !== undefined)
  const status = decodeStatus(68, find(ETH.status)!)
  assert.equal(status.latestHash, full.chain.head.hash)
  // Every block of this chain has the difficulty of its genesis block.
  assert.equal(status.totalDifficulty, difficulty * BigInt(BLOCKS + 1))
  await until(() => full.network.peers()[0]?.protocols[0]?.facts?.latestBlock === BLOCKS)
  await extend(full.chain)
  full.sync.headMoved()
  await until(() => find(ETH.newBlock) !== undefined)
  assert.equal(decodeNewBlock(find(ETH.newBlock)!).totalDifficulty, difficulty * BigInt(BLOCKS + 2))
})

/** The same genesis block with a later fork. */
function withFork(cancunTime: number) {
  const text = JSON.parse(GENESIS_TEXT) as { readonly config: object }
  const verdict = parseGenesis(JSON.stringify({ ...text, config: { ...text.config, cancunTime } }))
  assert.ok(verdict.ok)
  return verdict.genesis
}

test('a peer with other forks is turned away, and is not accepted in discovery', TIMEOUT, async (t) => {
  const [one, other] = [await node(t, withFork(2)), await node(t, withFork(3))]
  const reasons: string[] = []
  one.network.left.subscribe(({ end }) => reasons.push(`${end.reason}: ${end.sentence}`))
  assert.notDeepEqual(other.sync.forkId(), one.sync.forkId())
  assert.ok(one.sync.acceptsFork(one.sync.forkId()))
  assert.ok(!one.sync.acceptsFork(other.sync.forkId()))
  assert.ok(!one.sync.acceptsFork({ hash: parseData('0x01020304'), next: 0n }))
  one.network.maintain(other.enode)
  await until(() => reasons.length > 0)
  assert.match(reasons[0]!, /^subprotocol: The peer has other forks\./)
})

test('a peer without a Status gets no requests and no announcements', TIMEOUT, async (t) => {
  const full = await node(t)
  let link: PeerLink | undefined
  const codes: number[] = []
  const { network } = await testPeers([
    {
      name: 'eth',
      version: 69,
      messageCount: messageCount(69),
      limitOf: () => LIMIT,
      connect: (found: PeerLink) => {
        link = found
        return { onMessage: (code) => void codes.push(code) }
      },
    },
  ])
  t.after(() => network.stop())
  network.maintain(full.enode)
  await until(() => codes.length > 0)
  await extend(full.chain)
  full.sync.headMoved()
  const reasons: string[] = []
  full.network.left.subscribe(({ end }) => reasons.push(end.reason))
  link!.send(ETH.getBlockBodies, encodeAskedHashes({ id: 1n, what: [] }), 'bulk')
  await until(() => reasons.length > 0)
  assert.equal(reasons[0], 'breachOfProtocol')
  assert.deepEqual(codes, [ETH.status])
})
