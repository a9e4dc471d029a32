/* A node with a list of permitted nodes and real sockets: who connects, who is refused, and who is disconnected. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemClock } from '#platform/clock.ts'
import { systemRandom } from '#platform/random.ts'
import type { Enode } from '#types/enode.ts'
import { formatDigits } from '#types/hex.ts'
import { PeerRules } from './peer-rules.ts'
import { handMadePeer } from './peers/hand-made-peer.fixture.ts'
import { until } from './peers/peers.fixture.ts'
import { type TestNode, testNode } from './rlpx/handshake.fixture.ts'
import { startTestPeers } from './start-peers.fixture.ts'
import type { PeersConfig } from './start-peers.ts'

async function start(t: TestContext, rules?: PeerRules, config: Partial<PeersConfig> = { udpPort: null }) {
  const { running } = await startTestPeers(config, rules && { rules })
  t.after(() => running.stop())
  return running
}

type Running = Awaited<ReturnType<typeof start>>

/** Changes the list as the JSON-RPC methods do. */
async function permitOnly(rules: PeerRules, running: Running, nodes: readonly Enode[]): Promise<void> {
  rules.permitOnly(nodes)
  await running.recheck()
}

const place = (node: TestNode, tcpPort: number): Enode => ({
  id: formatDigits(node.publicKey),
  host: '127.0.0.1',
  hostKind: 'ipv4',
  tcpPort,
  udpPort: null,
})

test('a permitted node connects in either direction', async (t) => {
  for (const dials of ['we', 'they']) {
    const rules = new PeerRules([], [], [])
    const ours = await start(t, rules)
    const other = await start(t)
    await permitOnly(rules, ours, [other.enode])
    if (dials === 'we') ours.network.maintain(other.enode)
    else other.network.maintain(ours.enode)
    await until(() => ours.network.peerCount === 1 && other.network.peerCount === 1)
  }
})

test('another id at a permitted address and port does not connect in either direction', async (t) => {
  const rules = new PeerRules([], [], [])
  const ours = await start(t, rules)
  const other = await start(t)
  await permitOnly(rules, ours, [{ ...other.enode, id: 'a'.repeat(128) }])
  ours.network.maintain(other.enode)
  other.network.maintain(ours.enode)
  await until(() => ours.network.failedDials().length === 1 && other.network.failedDials().length === 1)
  assert.match(ours.network.failedDials()[0]!.sentence, /not permitted/)
  assert.equal(ours.network.peerCount, 0)
  // The listed node is not there either: the key at that endpoint differs.
  ours.network.maintain({ ...other.enode, id: 'a'.repeat(128) })
  await until(() => ours.network.failedDials().length === 2)
  assert.equal(ours.network.peerCount, 0)
})

test('a permitted id at another port, or another address, does not connect in either direction', async (t) => {
  const other = await start(t)
  const wrong = [
    { ...other.enode, tcpPort: other.enode.tcpPort! + 1 },
    { ...other.enode, host: '127.0.0.2' },
  ]
  for (const listed of wrong) {
    const ours = await start(t, new PeerRules([], [], [listed]))
    ours.network.maintain(other.enode)
    await until(() => ours.network.failedDials().length === 1)
    other.network.maintain(ours.enode)
    await until(() => other.network.failedDials().some(({ enode }) => enode.id === ours.enode.id))
    assert.equal(ours.network.peerCount, 0)
    other.network.remove(ours.enode.id)
  }
})

test('a stranger gets no answer, and a permitted id with a wrong port gets no reason after HELLO', async (t) => {
  const known = await testNode(systemRandom)
  const ours = await start(t, new PeerRules([], [], [place(known, 30303)]))
  await assert.rejects(handMadePeer(ours.enode), 'no acknowledgement comes')
  const lying = await handMadePeer(ours.enode, known)
  t.after(() => lying.socket.destroy())
  lying.sayHello({ listenPort: 30304 })
  assert.equal(await lying.reason(), 'unknown')
  assert.equal(ours.network.peerCount, 0)
  const honest = await handMadePeer(ours.enode, known)
  t.after(() => honest.socket.destroy())
  honest.sayHello({ listenPort: 30303 })
  await until(() => ours.network.peerCount === 1)
})

test('a HELLO with a permitted id is refused without the key of that node', async (t) => {
  const [known, thief] = [await testNode(systemRandom), await testNode(systemRandom)]
  const ours = await start(t, new PeerRules([], [], [place(known, 30303), place(thief, 30304)]))
  const spoofed = await handMadePeer(ours.enode, thief)
  t.after(() => spoofed.socket.destroy())
  spoofed.sayHello({ publicKey: known.publicKey, listenPort: 30303 })
  assert.equal(await spoofed.reason(), 'unexpectedIdentity')
  assert.equal(ours.network.peerCount, 0)
})

test('a removed node is disconnected at once, and returns only when it is permitted again', async (t) => {
  const rules = new PeerRules([], [], [])
  const ours = await start(t, rules)
  const [other, friend] = [await start(t), await start(t)]
  await permitOnly(rules, ours, [other.enode, friend.enode])
  const reasons: string[] = []
  other.network.left.subscribe(({ end }) => reasons.push(end.reason))
  other.network.maintain(ours.enode)
  friend.network.maintain(ours.enode)
  await until(() => ours.network.peerCount === 2 && other.network.peerCount === 1)

  const removedMs = systemClock.monotonicMs()
  await permitOnly(rules, ours, [friend.enode])
  assert.deepEqual(
    ours.network.peers().map(({ enode }) => enode.id),
    [friend.enode.id],
  )
  await until(() => other.network.peerCount === 0)
  const tookMs = systemClock.monotonicMs() - removedMs
  t.diagnostic(`it was gone after ${tookMs.toFixed(1)} ms`)
  // Takes milliseconds, or a second at most; this machine may be busy.
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
  assert.deepEqual(reasons, ['requested'])

  // Both sides dial again without success.
  other.network.remove(ours.enode.id)
  other.network.maintain(ours.enode)
  ours.network.maintain(other.enode)
  await until(() => other.network.failedDials().length === 1 && ours.network.failedDials().length === 1)
  assert.equal(ours.network.peerCount, 1)
  // There is no pause once the list contains the node again.
  await permitOnly(rules, ours, [friend.enode, other.enode])
  await until(() => ours.network.peerCount === 2)
})

test('a node removed from the list while its HELLO is judged is refused', async (t) => {
  const known = await testNode(systemRandom)
  const listed = place(known, 30303)
  const rules = new PeerRules([], [], [listed])
  const { promise: judged, resolve } = Promise.withResolvers<boolean>()
  let isAsked = false
  const mayConnect = () => {
    isAsked = true
    return judged
  }
  const { running } = await startTestPeers({ udpPort: null }, { rules, mayConnect })
  t.after(() => running.stop())
  const peer = await handMadePeer(running.enode, known)
  t.after(() => peer.socket.destroy())
  peer.sayHello({ listenPort: 30303 })
  await until(() => isAsked)
  await permitOnly(rules, running, [])
  resolve(true)
  assert.equal(await peer.reason(), 'unknown')
  assert.equal(running.network.peerCount, 0)
})

test('discovery bonds with permitted nodes only, and forgets a removed one', async (t) => {
  const bootnode = await start(t, undefined, { udpPort: 0 })
  const rules = new PeerRules([], [], [])
  const bootnodes = [bootnode.enode]
  const ours = await start(t, rules, { udpPort: 0, bootnodes })
  const other = await start(t, undefined, { udpPort: 0, bootnodes })
  await until(() => bootnode.discovered().some(({ id }) => id === other.enode.id))
  assert.deepEqual(ours.discovered(), [])
  await permitOnly(rules, ours, [bootnode.enode])
  await until(() => ours.discovered().length === 1)
  assert.equal(ours.discovered()[0]!.id, bootnode.enode.id)
  await permitOnly(rules, ours, [])
  assert.deepEqual(ours.discovered(), [])
  assert.equal(ours.network.peerCount, 0)
})
