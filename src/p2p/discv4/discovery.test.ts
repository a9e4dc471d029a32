import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TestNode, testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { formatDigits } from '#types/hex.ts'
import { discoveryNode as node, OTHER, OURS, PORT, Wire } from './discovery.fixture.ts'
import { type DiscoveryPacket, decodePacket, encodePacket } from './packet.ts'

test('nodes that know one bootnode find each other', async () => {
  const wire = new Wire()
  const nodes = []
  for (let seed = 1; seed <= 4; seed++) nodes.push(await node(wire, seed))
  const [bootnode, ...others] = nodes
  for (const { discovery } of others) await wire.run(discovery.ping(bootnode!.place))
  for (const { discovery } of others) await wire.run(discovery.lookupRandom())
  for (const { discovery } of nodes) assert.equal(discovery.nodes().length, 3)
})

test('a node of another chain and a node that is not permitted are not kept', async () => {
  const wire = new Wire()
  const ours = await node(wire, 1)
  const foreign = await node(wire, 2, OTHER)
  await wire.run(ours.discovery.ping(foreign.place))
  assert.deepEqual(ours.discovery.nodes(), [])

  const strict = await node(wire, 3, OURS, async (_, peer) => peer.id !== ours.id)
  await wire.run(ours.discovery.ping(strict.place))
  assert.deepEqual(strict.discovery.nodes(), [])
  assert.deepEqual(ours.discovery.nodes(), [])
})

test('a node that no longer answers leaves the bucket list', async () => {
  const wire = new Wire()
  const ours = await node(wire, 1)
  const other = await node(wire, 2)
  await wire.run(ours.discovery.ping(other.place))
  assert.equal(ours.discovery.nodes().length, 1)
  other.discovery.detach()
  await wire.run(ours.discovery.revalidate())
  assert.deepEqual(ours.discovery.nodes(), [])
})

test('permission is checked at every step, with the TCP port', async () => {
  const wire = new Wire()
  const asked = new Set<string>()
  const other = await node(wire, 2)
  const ours = await node(wire, 1, OURS, async (action, { id, host, tcpPort }) => {
    assert.deepEqual([id, host, tcpPort], [other.id, other.place.ip, PORT], action)
    asked.add(action)
    return true
  })
  await wire.run(other.discovery.ping(ours.place))
  await wire.run(other.discovery.lookupRandom())
  await wire.run(ours.discovery.lookupRandom())
  await wire.run(ours.discovery.revalidate())
  assert.deepEqual([...asked].sort(), [
    'askNeighbors',
    'bondInbound',
    'bondOutbound',
    'keepInTable',
    'tellNeighbors',
  ])
})

test('a step that is not permitted sends nothing', async () => {
  const steps = {
    bondInbound: ['ping'],
    bondOutbound: ['pong'],
    tellNeighbors: ['pong', 'ping', 'recordResponse'],
  } as const
  for (const [forbidden, expected] of Object.entries(steps)) {
    const wire = new Wire()
    const { place, discovery } = await node(wire, 1, OURS, async (action) => action !== forbidden)
    const one = await stranger(wire, '10.9.9.1')
    const expirationSeconds = Math.floor(wire.clock.wallMs() / 1000) + 10
    const answer = async () => {
      const pingHash = one.received.find(({ packet }) => packet.type === 'ping')?.hash
      if (pingHash === undefined) return
      await one.send(place.ip, { type: 'pong', to: place, pingHash, expirationSeconds, recordSequence: null })
    }
    await one.send(place.ip, {
      type: 'ping',
      from: place,
      to: place,
      expirationSeconds,
      recordSequence: null,
    })
    if (forbidden === 'bondInbound') {
      void discovery.ping({ ...place, id: formatDigits(one.self.publicKey), ip: '10.9.9.1' })
      await wire.settle()
    }
    await answer()
    await one.send(place.ip, { type: 'findNode', target: new Uint8Array(64), expirationSeconds })
    if (forbidden === 'tellNeighbors') await one.send(place.ip, { type: 'recordRequest', expirationSeconds })
    assert.deepEqual(one.types().slice(0, expected.length), [...expected], forbidden)
    if (forbidden !== 'bondInbound') assert.equal(one.types().length, expected.length, forbidden)
  }
})

test('a node that is no longer permitted is neither announced nor answered', async () => {
  const wire = new Wire()
  let removed = ''
  const ours = await node(wire, 1, OURS, async (_, { id }) => id !== removed)
  const [kept, gone] = [await node(wire, 2), await node(wire, 3)]
  for (const { discovery } of [kept, gone]) await wire.run(discovery.ping(ours.place))
  assert.equal(ours.discovery.nodes().length, 2)
  removed = gone.id
  await ours.discovery.recheck()
  assert.deepEqual(
    ours.discovery.nodes().map(({ id }) => id),
    [kept.id],
  )
  await wire.run(gone.discovery.ping(ours.place))
  await wire.run(kept.discovery.lookupRandom())
  assert.deepEqual(gone.discovery.nodes(), [], 'we do not answer its PING')
  assert.deepEqual(
    kept.discovery.nodes().map(({ id }) => id),
    [ours.id],
    'nobody told it',
  )
})

/** A node that sends packets by hand, and the packets it received. */
async function stranger(wire: Wire, ip: string, of?: TestNode) {
  const self = of ?? (await testNode(createSeededRandom(77)))
  const received: { packet: DiscoveryPacket; hash: Uint8Array }[] = []
  const port = wire.attach(ip, (bytes) => received.push(decodePacket(bytes, self.parts.keccak)))
  return {
    self,
    received,
    types: () => received.map(({ packet }) => packet.type),
    async send(to: string, packet: DiscoveryPacket) {
      const { bytes, hash } = await encodePacket(self.parts.nodeKey, self.parts.keccak, packet)
      port.send(bytes, to)
      await wire.settle()
      return hash
    },
  }
}

test('an address must prove itself before it gets an answer longer than its question', async () => {
  const wire = new Wire()
  const { place } = await node(wire, 1)
  const expirationSeconds = Math.floor(wire.clock.wallMs() / 1000) + 10
  const findNode: DiscoveryPacket = { type: 'findNode', target: new Uint8Array(64), expirationSeconds }
  const request: DiscoveryPacket = { type: 'recordRequest', expirationSeconds }
  const ping: DiscoveryPacket = {
    type: 'ping',
    from: place,
    to: place,
    expirationSeconds,
    recordSequence: null,
  }
  const one = await stranger(wire, '10.9.9.1')

  await one.send(place.ip, findNode)
  await one.send(place.ip, request)
  assert.deepEqual(one.types(), [])

  await one.send(place.ip, { ...ping, expirationSeconds: 1 })
  assert.deepEqual(one.types(), [])

  await one.send(place.ip, ping)
  assert.deepEqual(one.types(), ['pong', 'ping'])
  const pong = { type: 'pong', to: place, expirationSeconds, recordSequence: null } as const
  await one.send(place.ip, { ...pong, pingHash: new Uint8Array(32) })
  await one.send(place.ip, findNode)
  assert.deepEqual(one.types(), ['pong', 'ping'])

  await one.send(place.ip, { ...pong, pingHash: one.received[1]!.hash })
  await one.send(place.ip, findNode)
  await one.send(place.ip, request)
  assert.deepEqual(one.types(), ['pong', 'ping', 'neighbors', 'recordResponse'])

  const elsewhere = await stranger(wire, '10.9.9.2', one.self)
  await elsewhere.send(place.ip, findNode)
  assert.deepEqual(elsewhere.types(), [])
})

test('unsolicited neighbours are ignored', async () => {
  const wire = new Wire()
  const { discovery, place } = await node(wire, 1)
  const one = await stranger(wire, '10.9.9.1')
  const expirationSeconds = Math.floor(wire.clock.wallMs() / 1000) + 10
  await one.send(place.ip, { type: 'neighbors', nodes: [place], expirationSeconds })
  assert.deepEqual(discovery.nodes(), [])
})

test('a flood from one address is dropped unread, and others are still answered', async () => {
  const wire = new Wire()
  const { discovery, place } = await node(wire, 1)
  for (let count = 0; count < 2_000; count++) await discovery.receive(new Uint8Array(200), '10.8.8.8', 1)
  const expirationSeconds = Math.floor(wire.clock.wallMs() / 1000) + 10
  const one = await stranger(wire, '10.9.9.1')
  await one.send(place.ip, { type: 'ping', from: place, to: place, expirationSeconds, recordSequence: null })
  assert.deepEqual(one.types(), ['pong', 'ping'])
})
