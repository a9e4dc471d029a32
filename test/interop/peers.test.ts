import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeRecord } from '#p2p/discv4/node-record.ts'
import { EVERYONE_MAY } from '#p2p/may-connect.ts'
import { testProtocol, until } from '#p2p/peers/peers.fixture.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { type PeersConfig, startPeers } from '#p2p/start-peers.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { formatEnode } from '#types/enode.ts'

const FORK_ID = { hash: Uint8Array.of(1, 2, 3, 4), next: 0n }
const CONFIG: PeersConfig = {
  host: '127.0.0.1',
  advertisedIp: '127.0.0.1',
  tcpPort: 0,
  udpPort: 0,
  clientId: 'test',
  maxPeers: 25,
  maxInbound: 25,
  bootnodes: [],
  retriesBootnodes: true,
  staticNodes: [],
}

async function start(config: Partial<PeersConfig>) {
  const node = await testNode(systemRandom)
  const running = await startPeers(
    { ...CONFIG, ...config },
    {
      handshake: node.parts,
      clock: systemClock,
      log: createLog({ level: 'OFF' }),
      protocols: [testProtocol()],
      mayConnect: EVERYONE_MAY,
      forkId: FORK_ID,
      acceptsFork: ({ hash }) => hash[0] === FORK_ID.hash[0],
    },
  )
  return { node, running }
}

test('nodes that are told of one bootnode find and dial each other, over UDP and TCP', async () => {
  const { running: bootnode, node } = await start({})
  const bootnodes = [bootnode.enode]
  const others = await Promise.all([start({ bootnodes }), start({ bootnodes })])
  const all = [bootnode, ...others.map(({ running }) => running)]
  try {
    await until(() => all.every(({ network }) => network.peerCount === 2))
    const record = new Uint8Array(Buffer.from(bootnode.record.slice(4), 'base64url'))
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
  const { running } = await start({ udpPort: null, staticNodes: [first.running.enode] })
  try {
    await until(() => running.network.peerCount === 1)
    assert.equal(formatEnode(first.running.enode).split('?')[1], 'discport=0')
    await first.running.stop()
    await until(() => running.network.peerCount === 0)
    const again = await startPeers(
      { ...CONFIG, tcpPort: tcpPort!, udpPort: null },
      {
        handshake: first.node.parts,
        clock: systemClock,
        log: createLog({ level: 'OFF' }),
        protocols: [testProtocol()],
        mayConnect: EVERYONE_MAY,
        forkId: null,
        acceptsFork: () => true,
      },
    )
    await until(() => running.network.peerCount === 1)
    await again.stop()
  } finally {
    await running.stop()
  }
})

test('a port that is taken is told, and nothing stays open', async () => {
  const { running } = await start({ udpPort: null })
  await assert.rejects(start({ tcpPort: running.enode.tcpPort! }), /EADDRINUSE/)
  await running.stop()
})
