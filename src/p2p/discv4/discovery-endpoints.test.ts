/* Endpoints in the bucket list: packets of others neither remove nor move a node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVERYONE_MAY } from '#p2p/peer-rules.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { discoveryNode as node, OURS, PORT, Wire } from './discovery.fixture.ts'
import { decodePacket, encodePacket } from './packet.ts'

/** A man in the middle, and another node's PING that it provoked. */
async function captured(wire: Wire, ip: string, of: { readonly place: { readonly ip: string } }) {
  const key = await testNode(createSeededRandom(99))
  let handle: (bytes: Uint8Array, from: string) => void = () => {}
  const port = wire.attach(ip, (bytes, from) => handle(bytes, from))
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  handle = (bytes) => {
    if (decodePacket(bytes, key.parts.keccak).packet.type === 'ping') resolve(bytes)
  }
  const endpoint = { ip, udpPort: PORT, tcpPort: PORT }
  const expirationSeconds = Math.floor(wire.clock.wallMs() / 1000) + 60
  const { bytes } = await encodePacket(key.parts.nodeKey, key.parts.keccak, {
    type: 'ping',
    from: endpoint,
    to: { ...endpoint, ip: of.place.ip },
    expirationSeconds,
    recordSequence: null,
  })
  port.send(bytes, of.place.ip)
  const ping = await promise
  handle = () => {}
  return {
    ping,
    replay: (to: string) => port.send(ping, to),
    /** Relays all packets between the two from now on. */
    relay: (one: string, other: string) => {
      handle = (bytes, from) => port.send(bytes, from === one ? other : one)
    },
  }
}

async function acquainted(ownRecord: boolean) {
  const wire = new Wire()
  const victim = await node(wire, 1)
  const honest = await node(wire, 2, OURS, EVERYONE_MAY, ownRecord)
  await wire.run(honest.discovery.ping(victim.place))
  for (let step = 0; step < 30; step++) {
    await wire.settle()
    wire.clock.advance(100)
  }
  assert.deepEqual(
    victim.discovery.nodes().map(({ ip }) => ip),
    [honest.place.ip],
  )
  return { wire, victim, honest, attacker: await captured(wire, '10.6.6.6', honest) }
}

async function pass(wire: Wire, ms: number): Promise<void> {
  for (let passedMs = 0; passedMs < ms; passedMs += 100) {
    await wire.settle()
    wire.clock.advance(100)
  }
}

test('a replayed PING does not evict the node that signed it', async () => {
  const { wire, victim, honest, attacker } = await acquainted(true)
  attacker.replay(victim.place.ip)
  await pass(wire, 4_000)
  assert.deepEqual(
    victim.discovery.nodes().map(({ ip }) => ip),
    [honest.place.ip],
  )
})

for (const [what, hasRecord] of [
  ['a node whose record names its endpoint', true],
  ['a node whose record names no endpoint', false],
] as const) {
  test(`an attacker that relays PING and PONG does not move ${what}`, async () => {
    const { wire, victim, honest, attacker } = await acquainted(hasRecord)
    attacker.relay(victim.place.ip, honest.place.ip)
    attacker.replay(victim.place.ip)
    await pass(wire, 6_000)
    assert.deepEqual(
      victim.discovery.nodes().map(({ ip }) => ip),
      [honest.place.ip],
    )
  })
}

test('a node that an attacker introduced at a wrong endpoint moves to the endpoint in its record', async () => {
  const wire = new Wire()
  const [victim, honest] = [await node(wire, 1), await node(wire, 2)]
  const attacker = await captured(wire, '10.6.6.6', honest)
  attacker.relay(victim.place.ip, honest.place.ip)
  attacker.replay(victim.place.ip)
  await pass(wire, 4_000)
  await wire.run(honest.discovery.ping(victim.place))
  await pass(wire, 4_000)
  assert.deepEqual(
    victim.discovery.nodes().map(({ ip }) => ip),
    [honest.place.ip],
  )
})

test('a port that does not answer is not accepted for a node with a proven address', async () => {
  const { wire, victim, honest, attacker } = await acquainted(false)
  honest.move('10.0.0.77')
  await victim.discovery.receive(attacker.ping, honest.place.ip, 666)
  await pass(wire, 6_000)
  assert.ok(victim.discovery.nodes().every(({ udpPort }) => udpPort === PORT))
})

test('a node that moved is known at its new endpoint', async () => {
  const { wire, victim, honest } = await acquainted(false)
  honest.move('10.0.0.77')
  await wire.run(honest.discovery.ping(victim.place))
  await pass(wire, 4_000)
  assert.deepEqual(
    victim.discovery.nodes().map(({ ip }) => ip),
    ['10.0.0.77'],
  )
})

test('a node stays in the bucket list if too many questions are open to ping it', async () => {
  const { wire, victim } = await acquainted(true)
  const asking = Array.from({ length: 1_000 }, (_, at) =>
    victim.discovery.ping({ ...victim.place, id: 'ab'.repeat(64), ip: `10.7.${at >> 8}.${at & 255}` }),
  )
  await pass(wire, 100)
  await victim.discovery.revalidate()
  assert.equal(victim.discovery.nodes().length, 1)
  await wire.run(Promise.all(asking))
})
