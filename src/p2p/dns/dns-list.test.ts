import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { encodeRecord, formatRecord } from '#p2p/discv4/node-record.ts'
import { type TestNode, testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { startTestPeers } from '#p2p/start-peers.fixture.ts'
import { systemClock } from '#platform/clock.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Fault } from '#types/fault.ts'
import { formatDigits } from '#types/hex.ts'
import { dnsLookUp } from './dns-list.ts'
import { createTestList, listUrl, startDnsServer, type TestList } from './dns-server.fixture.ts'
import { LinkedLists } from './linked-lists.ts'
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

async function listFrom(
  t: TestContext,
  { url }: Pick<TestList, 'url'>,
  records: ReadonlyMap<string, string>,
  onAsked?: (name: string) => void,
) {
  const lookUp = dnsLookUp(await startDnsServer(t, records, onAsked))
  return new LinkedLists(parseListAddress(url)!, { ...owner.parts, clock: systemClock, lookUp })
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

/** Lists of one node each, at `list0.example.org` and so on; `links` names the lists that each one links to. */
async function linkedLists(links: readonly (readonly number[])[]) {
  const owners = await Promise.all(links.map(() => testNode(random)))
  const domainOf = (index: number): string => `list${index}.example.org`
  const lists: TestList[] = []
  for (const [index, linked] of links.entries()) {
    const leaf = await recordOf(await testNode(random), `10.0.1.${index}`, 30_303)
    const urls = linked.map((other) => listUrl(owners[other]!, domainOf(other)))
    lists.push(createTestList(owners[index]!, domainOf(index), [leaf], urls))
  }
  const records = new Map(lists.flatMap((list) => [...list.records]))
  return { first: lists[0]!, lists, records }
}

const ipsOf = (found: readonly { readonly ip: string }[]): string[] => found.map(({ ip }) => ip).sort()

test('links to other lists are followed, also in a circle', async (t) => {
  const { first, records } = await linkedLists([[1, 0], [2], [0, 1]])
  const asked: string[] = []
  const list = await listFrom(t, first, records, (name) => asked.push(name))
  assert.deepEqual(ipsOf(await list.sample(80)), ['10.0.1.0', '10.0.1.1', '10.0.1.2'])
  assert.equal(new Set(asked).size, asked.length, 'a name was asked twice')
})

test('a linked list that another key signed, or that does not exist, costs only its nodes', async (t) => {
  const { first, records } = await linkedLists([[1, 2], [], []])
  const forged = createTestList(await testNode(random), 'list1.example.org', [
    await recordOf(await testNode(random), '10.6.6.6', 30_303),
  ])
  const missing = [...records].filter(([name]) => !name.endsWith('list2.example.org'))
  const list = await listFrom(t, first, new Map([...missing, ...forged.records]))
  assert.deepEqual(ipsOf(await list.sample(40)), ['10.0.1.0'])
})

test('a list whose links are missing or changed still has its own nodes', async (t) => {
  const { first, records } = await linkedLists([[1], []])
  const changed = new Map(
    [...records].map(([name, text]) => [name, text.startsWith('enrtree:') ? `${text}x` : text]),
  )
  assert.deepEqual(ipsOf(await (await listFrom(t, first, changed)).sample(20)), ['10.0.1.0'])
})

test('links are followed to a depth of three and to eight lists', async (t) => {
  const chain = await linkedLists([[1], [2], [3], [4], []])
  assert.deepEqual(
    ipsOf(await (await listFrom(t, chain.first, chain.records)).sample(120)),
    [0, 1, 2, 3].map((index) => `10.0.1.${index}`),
  )
  const many = Array.from({ length: 12 }, (_, index) => index + 1)
  const star = await linkedLists([many, ...many.map(() => [])])
  assert.equal((await (await listFrom(t, star.first, star.records)).sample(300)).length, 8)
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
