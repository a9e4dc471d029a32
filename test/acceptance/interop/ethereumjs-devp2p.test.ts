/** An independent RLPx implementation as a peer, in both directions. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { DISCONNECT_REASONS } from '#p2p/disconnect.ts'
import { testPeers, testProtocol, until } from '#p2p/peers/peers.fixture.ts'
import { systemRandom } from '#platform/random.ts'
import { startLibraryPeer } from './library-peer.ts'

const TIMEOUT = { timeout: 60_000 }
/** Message codes are assigned in the order of the protocol names, upper case first. */
const PROTOCOLS = [
  { name: 'istanbul', version: 100, messageCount: 5 },
  { name: 'IBF', version: 1, messageCount: 5 },
  { name: 'eth', version: 68, messageCount: 5 },
]

async function start(context: TestContext) {
  const heard: { readonly name: string; readonly code: number; readonly data: Uint8Array }[] = []
  const onMessage = ({ name }: { readonly name: string }, code: number, data: Uint8Array) =>
    void heard.push({ name, code, data })
  const library = await startLibraryPeer(PROTOCOLS.map((each) => ({ ...each, onMessage })))
  context.after(() => library.stop())
  const ours = PROTOCOLS.map(({ name, version }) => testProtocol(name, version))
  const node = await testPeers(ours)
  context.after(() => node.network.stop())
  const connected = () =>
    until(() => library.links.length === 3 && ours.every(({ links }) => links.length === 1))
  return { library, heard, ours, node, connected }
}

async function exchange({ library, heard, ours }: Awaited<ReturnType<typeof start>>): Promise<void> {
  const data = systemRandom.randomBytes(100_000)
  for (const [at, { links }] of ours.entries()) {
    assert.equal(links[0]!.peer.clientId, 'library')
    assert.ok(links[0]!.send(at, data, 'bulk'))
    const link = library.links.find(({ name }) => name === PROTOCOLS[at]!.name)
    link!.send(at, data)
  }
  await until(() => heard.length === 3 && ours.every((protocol) => protocol.heard.length === 1))
  for (const [at, { name }] of PROTOCOLS.entries()) {
    const here = ours[at]!.heard[0]!
    const there = heard.find((message) => message.name === name)!
    assert.deepEqual([here.code, there.code], [at, at])
    assert.ok([here, there].every((message) => Buffer.from(message.data).equals(data)))
  }
}

test(
  '@ethereumjs/devp2p dials us, and both hear each other over three protocols',
  TIMEOUT,
  async (context) => {
    const sides = await start(context)
    await sides.library.dial(sides.node.enode)
    await sides.connected()
    await exchange(sides)
    // The library must understand our disconnect reason.
    await sides.node.network.stop()
    await until(() => sides.library.reasons.length === 1)
    assert.deepEqual(sides.library.reasons, [DISCONNECT_REASONS.quitting.code])
  },
)

test(
  'we dial @ethereumjs/devp2p, and both hear each other over three protocols',
  TIMEOUT,
  async (context) => {
    const sides = await start(context)
    sides.node.network.maintain(sides.library.enode)
    await sides.connected()
    await exchange(sides)
    // The library sends its disconnect message uncompressed and not as a list; Cairn accepts it.
    const ended = new Promise<string>((resolve) => {
      sides.node.network.left.subscribe(({ end }) => resolve(end.reason))
    })
    sides.library.stop()
    assert.equal(await ended, 'quitting')
  },
)
