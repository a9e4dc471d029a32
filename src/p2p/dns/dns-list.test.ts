import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { encodeRecord, formatRecord } from '#p2p/discv4/node-record.ts'
import { type TestNode, testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import { systemClock } from '#platform/clock.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Fault } from '#types/fault.ts'
import { formatDigits } from '#types/hex.ts'
import { DnsList, dnsLookUp } from './dns-list.ts'
import { createTestList, startDnsServer, type TestList } from './dns-server.fixture.ts'
import { parseListAddress } from './list-entry.ts'

const DOMAIN = 'nodes.example.org'
const WAIT_MAX_MS = 20_000
const random = createSeededRandom(7)
const owner = await testNode(random)

async function recordOf({ parts }: TestNode, ip: string | null, port: number): Promise<string> {
  const places = { ip6: null, tcp6Port: null, udp6Port: null, forkId: null }
  const record = { sequence: 1n, ip, tcpPort: port, udpPort: port, ...places }
  return formatRecord(await encodeRecord(parts.nodeKey, parts.keccak, record))
}

async function listFrom(t: TestContext, { url }: TestList, records: ReadonlyMap<string, string>) {
  const lookUp = dnsLookUp(await startDnsServer(t, records))
  return new DnsList(parseListAddress(url)!, { ...owner.parts, clock: systemClock, lookUp })
}

test('nodes of a list come from a DNS server, each with its endpoint', async (t) => {
  const nodes = await Promise.all(Array.from({ length: 5 }, () => testNode(random)))
  const leaves = await Promise.all(nodes.map((node, index) => recordOf(node, `10.0.0.${index}`, 30_303)))
  const hidden = await recordOf(await testNode(random), null, 30_303)
  const list = createTestList(owner, DOMAIN, [...leaves, hidden])
  const found = await (await listFrom(t, list, list.records)).sample(60)
  const expected = nodes.map(({ publicKey }, index) => ({
    id: formatDigits(publicKey),
    ip: `10.0.0.${index}`,
    udpPort: 30_303,
    tcpPort: 30_303,
  }))
  const byIp = (one: { ip: string }, other: { ip: string }): number => one.ip.localeCompare(other.ip)
  assert.deepEqual([...found].sort(byIp), expected)
})

test('a list with a changed entry or the root of another owner is refused', async (t) => {
  const leaf = await recordOf(owner, '10.0.0.1', 30_303)
  const list = createTestList(owner, DOMAIN, [leaf])
  const invalid = (fault: Fault) => fault.kind === 'INVALID_NODE_LIST'
  const changed = new Map([...list.records].map(([name, text]) => [name, text === leaf ? `${leaf}A` : text]))
  await assert.rejects((await listFrom(t, list, changed)).sample(1), invalid)
  const other = createTestList(await testNode(random), DOMAIN, [leaf])
  await assert.rejects((await listFrom(t, list, other.records)).sample(1), invalid)
  await assert.rejects((await listFrom(t, list, new Map())).sample(1), { code: 'ENOTFOUND' })
})

test('a node finds a peer by a list in DNS', async (t) => {
  const { node, running: listed } = await startTestPeers()
  t.after(() => listed.stop())
  const leaf = await recordOf(node, '127.0.0.1', listed.enode.udpPort!)
  const list = createTestList(owner, DOMAIN, [leaf])
  const nodeList = { address: parseListAddress(list.url)!, server: await startDnsServer(t, list.records) }
  const { running } = await startTestPeers({ nodeList })
  t.after(() => running.stop())
  const endsAtMs = performance.now() + WAIT_MAX_MS
  while (!running.discovered().some(({ id }) => id === listed.enode.id)) {
    assert.ok(performance.now() < endsAtMs, 'the listed node was not found')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})
