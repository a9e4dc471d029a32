import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { defaultsOf } from '#config/option.ts'
import { peerOptions } from '#p2p/options.ts'
import { type TestProtocol, testPeers, testProtocol, until } from '#p2p/peers/peers.fixture.ts'
import type { Channel } from '#platform/channel/channel-protocol.ts'
import { connectPort } from '#platform/channel/port-pair.ts'
import { systemClock } from '#platform/clock.ts'
import { createLog } from '#platform/log/log.ts'
import { systemRandom } from '#platform/random.ts'
import { silentThreads } from '#platform/thread/threads.fixture.ts'
import { KEY_RANDOM_BYTES, privateKeyFromRandom } from '#types/curve.ts'
import type { Enode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import type { EchoOffers } from './echo-protocol.fixture.ts'
import type { SelfReport } from './peers-protocol.ts'
import {
  type PeersClients,
  type PeersThread,
  type PeersThreadParts,
  startPeersThread,
} from './peers-thread.ts'

const log = createLog({ level: 'OFF' })
const BULK_BYTES = 100_000_000
type Line = Channel<Record<never, never>, EchoOffers>

interface Started {
  readonly ports: PeersClients
  readonly thread: PeersThread
}

async function start(t: TestContext, parts: Partial<PeersThreadParts> = {}) {
  const starts: Started[] = []
  const lines: Line[] = []
  const onError = (error: unknown) => assert.ifError(error)
  const privateKey = privateKeyFromRandom('secp256k1', systemRandom.randomBytes(KEY_RANDOM_BYTES))
  const supervised = await startPeersThread(
    {
      peers: {
        host: '127.0.0.1',
        advertisedIp: '127.0.0.1',
        tcpPort: 0,
        udpPort: null,
        clientId: 'thread',
        maxPeers: 25,
        maxInbound: 25,
        bootnodes: [],
        retriesBootnodes: true,
        nodeList: undefined,
        sendLimits: { bulkMaxBytes: 2 * BULK_BYTES, urgentMaxBytes: BULK_BYTES, messagesMax: 1_000 },
      },
      privateKey,
      bannedIds: [],
      ranges: [],
      options: { ...defaultsOf(peerOptions), filterOnForkId: true },
    },
    {
      log,
      threads: silentThreads(),
      modules: [
        {
          module: import.meta.resolve('./echo-protocol.fixture.ts'),
          begin: (line) => {
            lines.push(connectPort(line, {}, { clock: systemClock, onError }))
            return { config: { version: 7 } }
          },
        },
      ],
      protocols: [],
      mayConnect: undefined,
      onStarted: (ports, thread) => starts.push({ ports, thread }),
      ...parts,
    },
  )
  t.after(() => supervised.stop(5_000))
  const self: SelfReport = await starts[0]!.ports.peers.self()
  return { starts, lines, self, ...starts[0]! }
}

/** A peer that speaks these protocols. */
async function startPeer(t: TestContext, protocols: readonly TestProtocol[]) {
  const peer = await testPeers(protocols)
  t.after(() => peer.network.stop())
  return peer
}

test('a module protocol runs in the peers thread with a line to main', async (t) => {
  const { self, lines, ports } = await start(t)
  const echo = testProtocol('echo', 7)
  const peer = await startPeer(t, [echo])
  peer.network.maintain(self.enode)
  await until(() => echo.links.length === 1)
  assert.equal(echo.links[0]!.peer.clientId, 'thread')
  echo.links[0]!.send(0, Uint8Array.of(1, 2, 3), 'bulk')
  await until(() => echo.heard.length === 1)
  assert.deepEqual([...echo.heard[0]!.data], [1, 2, 3])
  assert.equal(await lines[0]!.request('heard', null), 1)
  assert.equal(await ports.peers.count(), 1)
  const [report] = await ports.peers.all()
  assert.deepEqual(report!.protocols, [{ name: 'echo', version: 7 }])
})

test('a protocol on main gets messages in order and answers them', async (t) => {
  const carried = testProtocol('bft', 1, ({ from, code, data }) => {
    const { send } = carried.links.find(({ peer }) => peer.enode.id === from.enode.id)!
    if (code === 0) send(1, data, 'urgent')
  })
  const { self } = await start(t, { protocols: [carried] })
  const protocols = [testProtocol('bft', 1), testProtocol('bft', 1)]
  const peers = await Promise.all(protocols.map((each) => startPeer(t, [each])))
  for (const { network } of peers) network.maintain(self.enode)
  await until(() => carried.links.length === 2 && protocols.every(({ links }) => links.length === 1))
  for (let number = 0; number < 50; number++) {
    for (const { links } of protocols) links[0]!.send(0, Uint8Array.of(number), 'urgent')
  }
  await until(() => protocols.every(({ heard }) => heard.length === 50))
  for (const { heard } of protocols) {
    assert.deepEqual(
      heard.map(({ code, data }) => [code, ...data]),
      Array.from({ length: 50 }, (_, number) => [1, number]),
    )
  }
  // The same message to several peers.
  const shared = new Uint8Array(100_000).fill(9)
  for (const { send } of carried.links) assert.equal(send(2, shared, 'urgent'), true)
  await until(() => protocols.every(({ heard }) => heard.length === 51))
  assert.deepEqual(Buffer.from(protocols[1]!.heard[50]!.data), Buffer.from(shared))
  const [link] = carried.links
  link!.disconnect('uselessPeer', 'The test wants it.')
  await until(() => !carried.links.includes(link!))
  assert.equal(link!.send(2, shared, 'urgent'), false)
  await Promise.all(peers.map(({ network }) => network.stop()))
  await until(() => carried.links.length === 0)
})

test('a protocol on main holds one peer back without delaying others', async (t) => {
  const carried = testProtocol('bft', 1, ({ from, code }) => {
    if (code === 0) carried.links.find(({ peer }) => peer.enode.id === from.enode.id)!.holdBack(60_000)
  })
  const { self, ports } = await start(t, { protocols: [carried] })
  const [flooding, honest] = [testProtocol('bft', 1), testProtocol('bft', 1)]
  const peers = await Promise.all([flooding, honest].map((each) => startPeer(t, [each])))
  for (const { network } of peers) network.maintain(self.enode)
  await until(() => carried.links.length === 2 && flooding.links.length + honest.links.length === 2)
  flooding.links[0]!.send(0, Uint8Array.of(0), 'urgent')
  await until(() => carried.heard.length === 1)
  // The thread has handled it once it answers a later request.
  await ports.peers.count()
  flooding.links[0]!.send(1, Uint8Array.of(0), 'urgent')
  honest.links[0]!.send(2, Uint8Array.of(0), 'urgent')
  await until(() => carried.heard.some(({ code }) => code === 2))
  assert.deepEqual(
    carried.heard.map(({ code }) => code),
    [0, 2],
  )
})

test('a consensus message overtakes 100 MB queued to the same peer', async (t) => {
  const carried = testProtocol('bft', 1)
  const { self, lines } = await start(t, { protocols: [carried] })
  const [echo, bft] = [testProtocol('echo', 7), testProtocol('bft', 1)]
  const { network } = await startPeer(t, [echo, bft])
  network.maintain(self.enode)
  await until(() => carried.links.length === 1 && bft.links.length === 1 && echo.links.length === 1)
  const queued = await lines[0]!.request('queueBulk', BULK_BYTES)
  assert.equal(queued, BULK_BYTES)
  const sentMs = systemClock.monotonicMs()
  carried.links[0]!.send(0, Uint8Array.of(1), 'urgent')
  await until(() => bft.heard.length === 1)
  const tookMs = systemClock.monotonicMs() - sentMs
  const before = echo.heard.length
  t.diagnostic(`it took ${tookMs.toFixed(0)} ms, behind ${before} MB`)
  // The capacity of both sockets, and the data sent while the message crossed from main; a time would depend on the machine.
  assert.ok(before < 40, `${before} MB came first`)
  await until(() => echo.heard.length === BULK_BYTES / 1_000_000)
})

test('a fault on main ends the connection as in the peers thread', async (t) => {
  const carried = testProtocol('bft', 1, () => {
    throw new Fault('INVALID_BFT_MESSAGE', { sentence: 'This is no message.' })
  })
  const { self } = await start(t, { protocols: [carried] })
  const protocol = testProtocol('bft', 1)
  const { network } = await startPeer(t, [protocol])
  const reasons: string[] = []
  network.left.subscribe(({ end }) => reasons.push(end.reason))
  network.maintain(self.enode)
  await until(() => protocol.links.length === 1)
  protocol.links[0]!.send(0, Uint8Array.of(1), 'urgent')
  await until(() => reasons.length === 1)
  assert.deepEqual(reasons, ['breachOfProtocol'])
})

test('main decides about connections, and a refused peer gets no reason', async (t) => {
  const asked: string[] = []
  const mayConnect = async (action: string) => {
    asked.push(action)
    return false
  }
  const { self, ports } = await start(t, { mayConnect })
  const echo = testProtocol('echo', 7)
  const { network } = await startPeer(t, [echo])
  network.maintain(self.enode)
  await until(() => network.failedDials().length === 1)
  assert.deepEqual(asked, ['connectInbound'])
  assert.match(network.failedDials()[0]!.sentence, /hung up: no reason was given/)
  assert.equal(await ports.peers.count(), 0)
})

test('a thread that ends is replaced on the same port: protocols on main are notified, and modules get a new line', async (t) => {
  const carried = testProtocol('bft', 1)
  const { self, thread, starts, lines } = await start(t, { protocols: [carried] })
  const { network } = await startPeer(t, [testProtocol('bft', 1)])
  network.maintain(self.enode)
  await until(() => carried.links.length === 1)
  await thread.terminate('the test wants it')
  await until(() => carried.links.length === 0)
  await until(() => starts.length === 2)
  assert.equal(lines.length, 2)
  assert.deepEqual((await starts[1]!.ports.peers.self()).enode, self.enode)
  // The peer dials again and finds the node at the same endpoint.
  await until(() => carried.links.length === 1)
})

test('the permitted nodes are in force from the start and after a change, including in a replaced thread', async (t) => {
  let permitted: readonly Enode[] = []
  const { self, ports, thread, starts } = await start(t, { permitted: () => permitted })
  const echo = testProtocol('echo', 7)
  const { network, enode } = await startPeer(t, [echo])
  network.maintain(self.enode)
  await until(() => network.failedDials().length === 1)
  const dialAgain = () => {
    network.remove(self.enode.id)
    network.maintain(self.enode)
  }
  permitted = [enode]
  await ports.peers.permitOnly(permitted)
  dialAgain()
  await until(() => echo.links.length === 1)
  const removedMs = systemClock.monotonicMs()
  permitted = []
  await ports.peers.permitOnly(permitted)
  assert.equal(await ports.peers.count(), 0)
  await until(() => echo.links.length === 0)
  const tookMs = systemClock.monotonicMs() - removedMs
  t.diagnostic(`it was gone after ${tookMs.toFixed(1)} ms`)
  // Takes milliseconds, or a second at most; this machine may be busy.
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
  await thread.terminate('the test wants it')
  await until(() => starts.length === 2)
  dialAgain()
  await until(() => network.failedDials().length === 1)
  assert.equal(await starts[1]!.ports.peers.count(), 0)
})

test('a change of log levels reaches the thread and its replacement', async (t) => {
  const threads = silentThreads()
  const { thread, starts, lines } = await start(t, { threads })
  assert.equal(await lines[0]!.request('logsDebug', null), false)
  await threads.setLevel('DEBUG', undefined)
  assert.equal(await lines[0]!.request('logsDebug', null), true)
  await thread.terminate('the test wants it')
  await until(() => starts.length === 2)
  while (!(await lines[1]!.request('logsDebug', null))) await starts[1]!.ports.peers.count()
})

test('a thread that uses too much memory is ended and replaced', async (t) => {
  // The thread needs less than a quarter of it.
  setFlagsFromString('--max-old-space-size=400')
  const { starts, lines } = await start(t)
  setFlagsFromString('--max-old-space-size=4096')
  await lines[0]!.request('leak', 150_000_000).catch(() => undefined)
  await until(() => starts.length === 2)
  assert.equal(await starts[1]!.ports.peers.count(), 0)
})
