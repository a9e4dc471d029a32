/* Admission of peers: limits, bans and metrics. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addPeerMetrics } from '#p2p/peer-metrics.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { deflate } from '#p2p/rlpx/snappy.ts'
import * as wire from '#p2p/rlpx/wire-messages.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { systemRandom } from '#platform/random.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import type { Enode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { formatDigits } from '#types/hex.ts'
import { handMadePeer } from './hand-made-peer.fixture.ts'
import { closedAfterEach, testProtocol, until } from './peers.fixture.ts'

const { open, peers } = closedAfterEach()

test('inbound peers have a lower limit than all peers', { timeout: 60_000 }, async () => {
  const candidates: Enode[] = []
  const a = await peers([testProtocol()], { maxPeers: 3, maxInbound: 1 }, { candidates: () => candidates })
  const [b, c, d] = [
    await peers([testProtocol()]),
    await peers([testProtocol()]),
    await peers([testProtocol()]),
  ]
  b.network.maintain(a.enode)
  await until(() => a.network.peerCount === 1)
  c.network.maintain(a.enode)
  await until(() => c.network.failedDials().length === 1)
  assert.match(c.network.failedDials()[0]!.sentence, /as many peers as it may have/)
  assert.equal(a.network.peerCount, 1)
  candidates.push(d.enode)
  await until(() => a.network.peerCount === 2)
  assert.deepEqual(
    a.network
      .peers()
      .map(({ why }) => why)
      .sort(),
    ['dialled us', 'discovered'],
  )
})

test('an expected peer connects without room and takes none, until it is no longer expected', async () => {
  const a = await peers([testProtocol()], { maxPeers: 1, maxInbound: 1 })
  const [stranger, expected, late] = [
    await peers([testProtocol()]),
    await peers([testProtocol()]),
    await peers([testProtocol()]),
  ]
  a.network.expect([addressFromPublicKey(expected.node.publicKey)])
  expected.network.maintain(a.enode)
  await until(() => a.network.peerCount === 1)
  stranger.network.maintain(a.enode)
  await until(() => a.network.peerCount === 2)
  a.network.expect([])
  late.network.maintain(a.enode)
  await until(() => [expected, late].every(({ network }) => network.failedDials().length === 1))
  assert.deepEqual(
    a.network.peers().map(({ enode }) => enode.id),
    [stranger.id],
  )
})

test('keys that a validator rotates leave no connections without room', async () => {
  const a = await peers([testProtocol()], { maxPeers: 2, maxInbound: 1 })
  const [maintained, ...rotated] = [
    await peers([testProtocol()]),
    await peers([testProtocol()]),
    await peers([testProtocol()]),
    await peers([testProtocol()]),
  ]
  for (const each of [maintained, ...rotated]) {
    a.network.expect([addressFromPublicKey(each.node.publicKey)])
    if (each === maintained) a.network.maintain(each.enode)
    else each.network.maintain(a.enode)
    await until(() => a.network.peers().some(({ enode }) => enode.id === each.id))
  }
  a.network.expect([])
  assert.deepEqual(
    a.network.peers().map(({ enode }) => enode.id),
    [maintained.id, rotated[0]!.id],
  )
})

async function liar(reason: 'breach' | 'lie') {
  const protocol = testProtocol('test', 1, () => {
    if (reason === 'lie') throw new Fault('INVALID_ETH_MESSAGE', { sentence: 'This is a lie.' })
  })
  const a = await peers([protocol])
  const node = await testNode(systemRandom)
  const evil = await handMadePeer(a.enode, node)
  open.push(() => evil.socket.destroy())
  evil.sayHello()
  await until(() => protocol.links.length === 1)
  if (reason === 'lie') evil.send(0x10, deflate(Uint8Array.of(1)))
  else evil.sayHello()
  assert.equal(await evil.reason(), 'breachOfProtocol')
  return { a, node, protocol }
}

for (const reason of ['breach', 'lie'] as const) {
  test(`a peer banned for a ${reason} cannot return and is not dialled`, async () => {
    const { a, node, protocol } = await liar(reason)
    await assert.rejects(handMadePeer(a.enode, node), /closed the connection/)
    assert.equal(protocol.links.length, 0)
    assert.equal(a.network.peerCount, 0)
  })
}

test('a banned peer is not dialled when discovery finds it, and returns when it is maintained', async () => {
  const candidates: Enode[] = []
  let isHonest = false
  const protocol = testProtocol('test', 1, () => {
    if (!isHonest) throw new Fault('INVALID_ETH_MESSAGE', { sentence: 'This is a lie.' })
  })
  const a = await peers([protocol], {}, { candidates: () => candidates })
  const other = testProtocol()
  const evil = await peers([other])
  let left = 0
  a.network.left.subscribe(() => left++)
  evil.network.maintain(a.enode)
  await until(() => other.links.length === 1)
  other.links[0]!.send(0, Uint8Array.of(1), 'bulk')
  await until(() => left === 1)
  evil.network.remove(a.id)
  candidates.push(evil.enode)
  await new Promise((resolve) => void setTimeout(resolve, 2_200))
  assert.equal(a.network.peerCount, 0)
  assert.deepEqual(a.network.failedDials(), [])
  isHonest = true
  a.network.maintain(evil.enode)
  await until(() => a.network.peerCount === 1)
})

test('the metrics count each end of a connection once, with initiator and reason', async () => {
  const metrics = createMetrics({ prefix: 'cairn_', onSourceError: () => {} })
  const protocol = testProtocol()
  const a = await peers([protocol], { maxPeers: 7 })
  addPeerMetrics(metrics, a.network, 7)
  const read = async (name: string): Promise<readonly string[]> => {
    const { body } = await metrics.exposition()
    return body
      .split('\n')
      .filter((line) => line.startsWith(name))
      .sort()
  }
  const join = async () => {
    const node = await testNode(systemRandom)
    const peer = await handMadePeer(a.enode, node)
    open.push(() => peer.socket.destroy())
    peer.sayHello()
    await until(() => protocol.links.some((link) => link.peer.enode.id === formatDigits(node.publicKey)))
    return peer
  }
  const [leaving, breaching] = [await join(), await join()]
  assert.deepEqual(await read('ethereum_peer_count'), ['ethereum_peer_count 2'])
  assert.deepEqual(await read('ethereum_peer_limit'), ['ethereum_peer_limit 7'])
  assert.deepEqual(await read('cairn_peers_connected_total'), ['cairn_peers_connected_total 2'])
  leaving.send(wire.DISCONNECT, deflate(wire.encodeDisconnect('quitting')))
  await until(() => a.network.peerCount === 1)
  breaching.sayHello()
  await until(() => a.network.peerCount === 0)
  await until(() => leaving.socket.closed && breaching.socket.closed)
  assert.deepEqual(await read('ethereum_peer_count'), ['ethereum_peer_count 0'])
  assert.deepEqual(await read('cairn_peers_disconnected_total'), [
    'cairn_peers_disconnected_total{initiator="local",reason="BREACH_OF_PROTOCOL"} 1',
    'cairn_peers_disconnected_total{initiator="remote",reason="CLIENT_QUITTING"} 1',
  ])
})
