import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeRecord, type ForkId } from '#p2p/discv4/node-record.ts'
import { until } from '#p2p/peers/peers.fixture.ts'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import type { PeersConfig } from '#p2p/start-peers.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { formatEnode } from '#types/enode.ts'

const FORK_ID = { hash: Uint8Array.of(1, 2, 3, 4), next: 0n }
const FORKS = {
  current: () => FORK_ID,
  accepts: ({ hash }: ForkId) => hash[0] === FORK_ID.hash[0],
}

const start = (config: Partial<PeersConfig>) => startTestPeers(config, { forks: FORKS })

test('nodes with one bootnode find and dial each other, over UDP and TCP', async () => {
  const { running: bootnode, node } = await start({})
  const bootnodes = [bootnode.enode]
  const others = await Promise.all([start({ bootnodes }), start({ bootnodes })])
  const all = [bootnode, ...others.map(({ running }) => running)]
  try {
    await until(() => all.every(({ network }) => network.peerCount === 2))
    const record = new Uint8Array(Buffer.from(bootnode.record().slice(4), 'base64url'))
    const { id, ip, tcpPort, udpPort, forkId } = decodeRecord(record, node.parts)
    assert.equal(formatEnode(bootnode.enode), `enode://${id}@${ip}:${tcpPort}`)
    assert.deepEqual({ udpPort, forkId }, { udpPort: tcpPort, forkId: FORK_ID })
  } finally {
    await Promise.all(all.map((running) => running.stop()))
  }
})

test('a static node is dialled again after it came back, without discovery', async () => {
  const first = await start({ udpPort: null })
  const { tcpPort } = first.running.enode
  const { running } = await start({ udpPort: null })
  running.network.maintain(first.running.enode)
  try {
    await until(() => running.network.peerCount === 1)
    assert.equal(formatEnode(first.running.enode).split('?')[1], 'discport=0')
    await first.running.stop()
    await until(() => running.network.peerCount === 0)
    const { running: again } = await startTestPeers(
      { tcpPort: tcpPort!, udpPort: null },
      { node: first.node, forks: FORKS },
    )
    await until(() => running.network.peerCount === 1)
    await again.stop()
  } finally {
    await running.stop()
  }
})

test('a port in use is reported, and nothing stays open', async () => {
  const { running } = await start({ udpPort: null })
  await assert.rejects(start({ tcpPort: running.enode.tcpPort! }), {
    kind: 'ADDRESS_IN_USE',
  })
  await running.stop()
})

test('the node record is signed again when a fork has taken effect', async () => {
  const clock = createFakeClock()
  let forkId: ForkId = FORK_ID
  const { running, node } = await startTestPeers({}, { clock, forks: { ...FORKS, current: () => forkId } })
  try {
    const bytes = () => new Uint8Array(Buffer.from(running.record().slice(4), 'base64url'))
    const read = () => decodeRecord(bytes(), node.parts)
    const before = read()
    clock.advance(10_000)
    forkId = { hash: Uint8Array.of(5, 6, 7, 8), next: 9n }
    clock.advance(10_000)
    await until(() => read().sequence > before.sequence)
    assert.deepEqual(read().forkId, forkId)
    assert.equal(read().sequence, before.sequence + 1n)
  } finally {
    const stopped = running.stop()
    clock.advance(10_000)
    await stopped
  }
})
