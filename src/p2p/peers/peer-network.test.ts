import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { MayConnect } from '#p2p/peer-rules.ts'
import { deflate } from '#p2p/rlpx/snappy.ts'
import * as wire from '#p2p/rlpx/wire-messages.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { systemRandom } from '#platform/random.ts'
import { concatBytes } from '#types/bytes.ts'
import type { Enode } from '#types/enode.ts'
import { handMadePeer } from './hand-made-peer.fixture.ts'
import { closedAfterEach, testPeers, testProtocol, until } from './peers.fixture.ts'

const { open, peers } = closedAfterEach()

test('two nodes connect, identify each other and exchange protocol messages', async () => {
  const one = testProtocol()
  const other = testProtocol()
  const a = await peers([one, testProtocol('only-here')])
  const b = await peers([other])
  a.network.maintain(b.enode)
  await until(() => one.links.length === 1 && other.links.length === 1)
  assert.equal(one.links[0]!.peer.enode.id, b.id)
  assert.equal(other.links[0]!.peer.enode.id, a.id)
  assert.equal(other.links[0]!.peer.enode.tcpPort, a.network.tcpPort)
  const data = systemRandom.randomBytes(300_000)
  assert.ok(one.links[0]!.send(2, data, 'bulk'))
  assert.ok(other.links[0]!.send(3, Uint8Array.of(1), 'urgent'))
  await until(() => one.heard.length === 1 && other.heard.length === 1)
  assert.equal(other.heard[0]!.code, 2)
  assert.ok(Buffer.from(other.heard[0]!.data).equals(data))
  assert.deepEqual(a.network.peers()[0]!.protocols, [{ name: 'test', version: 1 }])
  assert.equal(a.network.peers()[0]!.why, 'maintained')
  assert.equal(b.network.peers()[0]!.why, 'dialled us')
})

test('two nodes that dial each other at once keep the same connection', async () => {
  const protocols = [testProtocol(), testProtocol()]
  const a = await peers([protocols[0]!])
  const b = await peers([protocols[1]!])
  a.network.maintain(b.enode)
  b.network.maintain(a.enode)
  await until(() => protocols.every(({ links }) => links.length === 1))
  await until(() => a.network.peers()[0]?.localAddress === b.network.peers()[0]?.remoteAddress)
  assert.equal(a.network.peerCount, 1)
  assert.equal(b.network.peerCount, 1)
})

test('a consensus message overtakes waiting messages', async () => {
  const one = testProtocol()
  const other = testProtocol()
  const a = await peers([one], {
    sendLimits: { bulkMaxBytes: 2 ** 28, urgentMaxBytes: 2 ** 20, messagesMax: 1e6 },
  })
  const b = await peers([other])
  a.network.maintain(b.enode)
  await until(() => one.links.length === 1 && other.links.length === 1)
  const bulk = systemRandom.randomBytes(1_000_000)
  for (let count = 0; count < 40; count++) assert.ok(one.links[0]!.send(0, bulk, 'bulk'))
  assert.ok(one.links[0]!.send(1, Uint8Array.of(7), 'urgent'))
  await until(() => other.heard.some(({ code }) => code === 1))
  const place = other.heard.findIndex(({ code }) => code === 1)
  assert.ok(place < 10, `${place} messages of 40 came before it`)
})

test('the queue reports when it is full and when it has room again', async () => {
  const one = testProtocol()
  const other = testProtocol()
  const limits = { bulkMaxBytes: 4_000_000, urgentMaxBytes: 1_000_000, messagesMax: 100 }
  const a = await peers([one], { sendLimits: limits })
  const b = await peers([other])
  a.network.maintain(b.enode)
  await until(() => one.links.length === 1 && other.links.length === 1)
  const bulk = systemRandom.randomBytes(1_000_000)
  let sent = 0
  while (one.links[0]!.send(0, bulk, 'bulk')) sent += 1
  assert.ok(sent >= 4 && sent < 20, `${sent} messages`)
  await one.links[0]!.drained()
  assert.ok(one.links[0]!.send(0, bulk, 'bulk'))
  await until(() => other.heard.length === sent + 1)
})

test('a slow handler is not sent more than its limit', async () => {
  const release: (() => void)[] = []
  const one = testProtocol()
  const other = testProtocol('test', 1, () => new Promise<void>((resolve) => void release.push(resolve)))
  const a = await peers([one])
  const b = await peers([other])
  a.network.maintain(b.enode)
  await until(() => one.links.length === 1 && other.links.length === 1)
  for (let count = 0; count < 20; count++) one.links[0]!.send(0, systemRandom.randomBytes(1_000_000), 'bulk')
  await until(() => other.heard.length >= 3)
  await new Promise((resolve) => void setTimeout(resolve, 50))
  assert.ok(other.heard.length < 6, `${other.heard.length} messages were read`)
  while (other.heard.length < 20) {
    for (const done of release.splice(0)) done()
    await new Promise((resolve) => void setImmediate(resolve))
  }
})

test('peers that are not maintained are limited', async () => {
  const a = await peers([testProtocol()], { maxPeers: 1, maxInbound: 1 })
  const b = await peers([testProtocol()])
  const c = await peers([testProtocol()])
  const d = await peers([testProtocol()])
  b.network.maintain(a.enode)
  await until(() => a.network.peerCount === 1)
  c.network.maintain(a.enode)
  await until(() => c.network.failedDials().length === 1)
  assert.match(c.network.failedDials()[0]!.sentence, /as many peers as it may have/)
  a.network.maintain(d.enode)
  await until(() => a.network.peerCount === 2)
})

test('a peer that is not permitted is refused in either direction, and disconnected when it loses permission', async () => {
  let permitted = false
  const a = await peers([testProtocol()], {}, { mayConnect: async () => permitted })
  const b = await peers([testProtocol()])
  a.network.maintain(b.enode)
  b.network.maintain(a.enode)
  await until(() => a.network.failedDials().length === 1 && b.network.failedDials().length === 1)
  assert.match(a.network.failedDials()[0]!.sentence, /not permitted/)
  permitted = true
  b.network.remove(a.id)
  b.network.maintain(a.enode)
  await until(() => a.network.peerCount === 1)
  permitted = false
  await a.network.recheck()
  assert.equal(a.network.peerCount, 0)
})

test('a peer that is removed while it is dialled is not connected', async () => {
  const b = await peers([testProtocol()])
  for (const removedAtCheck of [1, 2]) {
    let checks = 0
    const mayConnect: MayConnect = async (_, { id }) => {
      checks += 1
      if (checks === removedAtCheck) a.network.remove(id)
      return true
    }
    const a = await peers([testProtocol()], {}, { mayConnect })
    a.network.maintain(b.enode)
    await until(() => a.network.failedDials().length === 1)
    assert.equal(a.network.peerCount, 0)
  }
})

test('a failed dial has a reason in one sentence', async () => {
  const a = await peers([testProtocol()])
  const gone = await testPeers([testProtocol()])
  await gone.network.stop()
  a.network.maintain(gone.enode)
  await until(() => a.network.failedDials().length === 1)
  assert.equal(
    a.network.failedDials()[0]!.sentence,
    `127.0.0.1:${gone.enode.tcpPort}: nothing listens there.`,
  )
  const stranger = await peers([testProtocol('other')])
  a.network.maintain(stranger.enode)
  await until(() => a.network.failedDials().length === 2)
  assert.match(a.network.failedDials()[1]!.sentence, /none of our protocols|no protocol in common/)
  const impostor: Enode = { ...stranger.enode, id: gone.id }
  a.network.maintain(impostor)
  await until(() => a.network.failedDials().some(({ sentence }) => /handshake/.test(sentence)))
})

async function attacker(to: Enode) {
  const evil = await handMadePeer(to)
  open.push(() => evil.socket.destroy())
  return evil
}

test('a HELLO with the id of another node is refused', async () => {
  const a = await peers([testProtocol()])
  const evil = await attacker(a.enode)
  evil.sayHello({ publicKey: Buffer.from(a.id, 'hex') })
  assert.equal(await evil.reason(), 'unexpectedIdentity')
  assert.equal(a.network.peerCount, 0)
})

test('a peer that sends HELLO and DISCONNECT at once takes no place', async () => {
  const a = await peers([testProtocol()])
  const gone = await attacker(a.enode)
  gone.socket.cork()
  gone.sayHello()
  gone.send(wire.DISCONNECT, deflate(wire.encodeDisconnect('quitting')))
  gone.socket.uncork()
  await until(() => gone.socket.closed)
  assert.equal(a.network.peerCount, 0)
})

const ATTACKS: Readonly<Record<string, (evil: Awaited<ReturnType<typeof attacker>>) => void>> = {
  'a second HELLO': (evil) => evil.sayHello(),
  'seven bytes that claim 2 GiB': (evil) =>
    evil.send(0x10, Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x08, 0, 0)),
  'a message that unpacks to 64 MB': (evil) => {
    // Each copy of three bytes yields 64, after a claimed length of 64 MB.
    const copies = Buffer.alloc(3 * 1_000_000, Buffer.from([0xfe, 0x01, 0x00]))
    evil.send(0x10, concatBytes(Uint8Array.of(0x80, 0xa0, 0xc2, 0x1e, 0x00, 0x07), copies))
  },
  'a code that nobody has': (evil) => evil.send(0x50, deflate(new Uint8Array(1))),
  'a code that its protocol does not use': (evil) => evil.send(0x14, deflate(new Uint8Array(1))),
  'bytes that are not compressed': (evil) => evil.send(0x10, Uint8Array.of(0xff)),
  'a frame that is not authentic': (evil) => void evil.socket.write(new Uint8Array(64)),
}
for (const [name, attack] of Object.entries(ATTACKS)) {
  test(`${name} ends the connection, and the identity is not accepted again`, async () => {
    const protocol = testProtocol()
    const a = await peers([protocol])
    const evil = await attacker(a.enode)
    evil.sayHello()
    await until(() => protocol.links.length === 1)
    attack(evil)
    assert.equal(await evil.reason(), 'breachOfProtocol')
    assert.equal(a.network.peerCount, 0)
    assert.deepEqual(protocol.heard, [])
  })
}

test('a message in the same write as HELLO reaches the protocol', async () => {
  const protocol = testProtocol()
  const a = await peers([protocol])
  const friend = await attacker(a.enode)
  friend.socket.cork()
  friend.sayHello()
  friend.send(0x11, deflate(Uint8Array.of(5)))
  friend.socket.uncork()
  await until(() => protocol.heard.length === 1)
  assert.deepEqual(protocol.heard[0]!.data, Uint8Array.of(5))
})

test('before HELLO, a frame longer than a HELLO is refused by its header', async () => {
  const a = await peers([testProtocol()])
  const evil = await attacker(a.enode)
  evil.send(wire.HELLO, new Uint8Array(3_000))
  assert.equal(await evil.reason(), 'breachOfProtocol')
})

test('a silent peer is pinged after 15 s and disconnected within 35 s', async () => {
  const clock = createFakeClock()
  const protocol = testProtocol()
  const a = await peers([protocol], {}, { clock })
  const silent = await attacker(a.enode)
  silent.sayHello()
  await until(() => protocol.links.length === 1)
  clock.advance(15_000)
  await until(() => silent.frames.some(({ code }) => code === wire.PING))
  clock.advance(15_000)
  assert.equal(a.network.peerCount, 0)
  assert.equal(await silent.reason(), 'timeout')
})

test('a peer that answers is kept', async () => {
  const clock = createFakeClock()
  const protocol = testProtocol()
  const a = await peers([protocol], {}, { clock })
  const friend = await attacker(a.enode)
  friend.sayHello()
  await until(() => protocol.links.length === 1)
  for (let count = 1; count <= 3; count++) {
    clock.advance(15_000)
    await until(() => friend.frames.filter(({ code }) => code === wire.PING).length === count)
    friend.send(wire.PONG, deflate(wire.EMPTY_BODY))
    const [before] = a.network.peers()
    await until(() => a.network.peers()[0]!.bytesIn > before!.bytesIn)
  }
  assert.equal(a.network.peerCount, 1)
})

test('a silent connection is closed in five seconds', async () => {
  const clock = createFakeClock()
  const a = await peers([testProtocol()], {}, { clock })
  const socket = connect({ host: '127.0.0.1', port: a.network.tcpPort })
  socket.on('error', () => {})
  open.push(() => socket.destroy())
  await until(() => clock.pendingTimers > 1)
  clock.advance(5_000)
  await until(() => socket.closed)
})

test('garbage closes the connection at once', async () => {
  const a = await peers([testProtocol()])
  const garbage = connect({ host: '127.0.0.1', port: a.network.tcpPort })
  garbage.on('error', () => {})
  garbage.write('GET / HTTP/1.1\r\n\r\n')
  await until(() => garbage.closed)
  assert.equal(a.network.peerCount, 0)
})
