import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { type Enode, parseEnode } from '#types/enode.ts'
import type { NodesSettings } from './nodes-kind.ts'
import { Permissions } from './permissions.ts'
import { RESOLVE_MS } from './permitted-nodes.ts'

const folder = mkdtempSync(join(tmpdir(), 'cairn-nodes-'))
after(() => rmSync(folder, { recursive: true }))

const node = (digits: string, place: string) => `enode://${digits.repeat(64)}@${place}`
const [A, B, C] = [node('aa', '10.0.0.1:30303'), node('bb', '10.0.0.2:30303'), node('cc', '10.0.0.3:30303')]
const NAMED = node('dd', 'four.example:30303')
const BY_HAND = { via: 'test', user: undefined, remoteAddress: undefined, requestId: undefined }
const OK = { ok: true }
const refused = (reason: string) => ({ ok: false, reason })
const listed = (...entries: string[]) => `# mine\nnodes-allowlist=${JSON.stringify(entries)}\nx=1\n`

async function load(content: string, settings: Partial<NodesSettings> = {}) {
  const path = join(mkdtempSync(join(folder, 'file-')), 'permissions.toml')
  writeFileSync(path, content)
  const clock = createFakeClock()
  const lines: string[] = []
  const write = (line: string) => void lines.push(JSON.parse(line).msg)
  const log = createLog({ level: 'INFO', format: 'JSON', clock, destination: { write } })
  const hosts = new Map([['four.example', '10.0.0.4']])
  const permissions = await Permissions.load(
    {
      accountsFile: undefined,
      nodes: {
        file: path,
        names: 'refused',
        resolve: async (host) => hosts.get(host) ?? Promise.reject(new Error('nobody knows it')),
        fixed: [],
        ...settings,
      },
      watchesFile: false,
    },
    { clock, log },
  )
  const nodes = permissions.nodes!
  lines.length = 0
  return {
    permissions,
    nodes,
    clock,
    hosts,
    lines,
    path,
    text: () => readFileSync(path, 'utf8'),
    may: (url: string) => nodes.permits(parseEnode(url)),
    add: (...entries: string[]) => permissions.add(nodes.list, entries, BY_HAND),
    remove: (...entries: string[]) => permissions.remove(nodes.list, entries, BY_HAND),
  }
}

test('a node may connect by id, address and port, with any discovery port', async () => {
  const { may } = await load(listed(A, `${B}?discport=0`))
  assert.ok(may(A))
  assert.ok(may(`${A}?discport=7`))
  assert.ok(may(B))
  assert.ok(!may(node('aa', '10.0.0.1:30304')))
  assert.ok(!may(node('aa', '10.0.0.2:30303')))
  assert.ok(!may(node('cc', '10.0.0.1:30303')))
})

test('an empty list permits no node', async () => {
  const { may } = await load(listed())
  assert.ok(!may(A))
})

test('a change is in the file and in force at once, and listeners get all permitted nodes', async () => {
  const { add, remove, may, nodes, text } = await load(listed(A))
  const heard: (readonly Enode[])[] = []
  nodes.changed.subscribe((all) => heard.push(all))
  assert.deepEqual(await add(B, C), OK)
  assert.equal(text(), listed(A, B, C))
  assert.deepEqual(await remove(A), OK)
  assert.equal(text(), listed(B, C))
  assert.ok(!may(A))
  assert.deepEqual(heard, [[A, B, C].map((url) => parseEnode(url)), [B, C].map((url) => parseEnode(url))])
  assert.deepEqual(nodes.all(), heard[1])
})

test('a node listed twice counts once, and the next change writes it once', async () => {
  const upper = `enode://${'AA'.repeat(64)}@10.0.0.1:30303`
  const { nodes, add, text } = await load(listed(A, A, upper))
  assert.deepEqual(nodes.list.all(), [A])
  assert.deepEqual(await add(B), OK)
  assert.equal(text(), listed(A, B))
})

test('bootnodes and static nodes must be listed, in any form, and cannot be removed', async () => {
  const fixed = [parseEnode(A), parseEnode(`${B}?discport=1`)]
  await assert.rejects(load(listed(C), { fixed }), ({ message }: Error) =>
    message.startsWith(`Specified node(s) not in nodes-allowlist [${A}, ${B}?discport=1]. `),
  )
  const { remove, permissions, path, may } = await load(listed(A, B, C), { fixed })
  assert.deepEqual(await remove(C, B), refused('FIXED'))
  assert.deepEqual(await remove(C), OK)
  // A reload may still remove them.
  writeFileSync(path, listed(C))
  assert.deepEqual(await permissions.reload(BY_HAND), OK)
  assert.ok(!may(A))
})

test('an invalid enode URL, or a host name with DNS disabled, stops the start and names the line', async () => {
  await assert.rejects(
    load(listed(A, 'foo')),
    /^Fault: Invalid enode URL syntax 'foo'.*Missing 'enode' scheme\. Found in nodes-allowlist, line 2 of /,
  )
  await assert.rejects(load(listed(NAMED)), /Invalid ip address\. Found in nodes-allowlist, line 2 of /)
  await assert.rejects(load('nodes-allowlist=[1]'), /^Fault: Invalid enode URL syntax '1'/)
  await assert.rejects(load('accounts-allowlist=[]'), /^Fault: nodes-allowlist config option missing /)
})

test('a name that is resolved once keeps its first address', async () => {
  const { may, hosts, permissions, nodes, add, text, clock } = await load(listed(NAMED), {
    names: 'resolved once',
  })
  const there = (address: string) => node('dd', `${address}:30303`)
  assert.deepEqual(nodes.list.all(), [there('10.0.0.4')])
  hosts.set('four.example', '10.0.0.44')
  permissions.startWatching()
  assert.equal(clock.pendingTimers, 0)
  assert.ok(may(there('10.0.0.4')))
  assert.deepEqual(await add(A), OK)
  assert.equal(text(), listed(NAMED, A), 'what a person wrote stays')
  assert.deepEqual(await permissions.reload(BY_HAND), OK)
  assert.ok(may(there('10.0.0.44')))
  assert.ok(!may(there('10.0.0.4')))
  hosts.clear()
  assert.deepEqual(await permissions.reload(BY_HAND), OK, 'an address stays known while nobody answers')
  await assert.rejects(
    load(listed(node('ee', 'nowhere.example:1')), { names: 'resolved once' }),
    /^Fault: Invalid IP address: DNS does not resolve the host nowhere\.example in nodes-allowlist, line 2 of /,
  )
})

test('a kept name is resolved periodically, and a failed lookup changes nothing', async () => {
  const { may, hosts, permissions, nodes, clock, lines } = await load(listed(A, NAMED), { names: 'kept' })
  const there = (address: string) => node('dd', `${address}:30303`)
  const heard: number[] = []
  nodes.changed.subscribe((all) => heard.push(all.length))
  permissions.startWatching()
  const pass = async () => {
    clock.advance(RESOLVE_MS)
    // Stopping waits for a running lookup.
    await permissions.stopWatching()
    permissions.startWatching()
  }
  await pass()
  assert.deepEqual(heard, [], 'nothing moved')
  hosts.set('four.example', '10.0.0.44')
  await pass()
  assert.ok(may(there('10.0.0.44')))
  assert.ok(!may(there('10.0.0.4')))
  assert.deepEqual(heard, [2])
  assert.deepEqual(lines, ['Resolved new addresses for hosts in the nodes allowlist'])
  hosts.clear()
  await pass()
  assert.ok(may(there('10.0.0.44')))
  assert.deepEqual(nodes.list.all(), [A, NAMED])
  await permissions.stopWatching()
  assert.equal(clock.pendingTimers, 0)
})

test('a host that does not resolve at start is permitted once it does', async () => {
  const later = node('ee', 'five.example:30303')
  const { may, hosts, permissions, clock, remove } = await load(listed(later), { names: 'kept' })
  assert.ok(!may(node('ee', '10.0.0.5:30303')))
  hosts.set('five.example', '10.0.0.5')
  permissions.startWatching()
  clock.advance(RESOLVE_MS)
  await permissions.stopWatching()
  assert.ok(may(node('ee', '10.0.0.5:30303')))
  assert.deepEqual(await remove(node('ee', '10.0.0.5:30303')), OK)
  assert.ok(!may(node('ee', '10.0.0.5:30303')))
})

test('a lookup without an answer ends and does not delay other changes', async () => {
  const never = new Promise<string>(() => {})
  const { add, remove, clock } = await load(listed(A, B), { names: 'kept', resolve: () => never })
  const waiting = add(NAMED)
  assert.deepEqual(await remove(B), OK)
  clock.advance(5_000)
  assert.deepEqual(await waiting, refused('INVALID'))
})
