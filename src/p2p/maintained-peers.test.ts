import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Enode } from '#types/enode.ts'
import { MaintainedPeers } from './maintained-peers.ts'
import type { NameRules } from './read-nodes.ts'

const url = (digit: string, place = '127.0.0.1:30303') => `enode://${digit.repeat(128)}@${place}`
const changed = { ok: true, changed: true }
const unchanged = { ok: true, changed: false }

const NO_NAMES: NameRules = {
  areAllowed: false,
  areKept: false,
  resolve: () => assert.fail('no name is allowed'),
}
const LOCAL: NameRules = {
  areAllowed: true,
  areKept: false,
  resolve: async (name) => (name === 'localhost' ? '127.0.0.1' : Promise.reject(new Error('unknown'))),
}
const everyone = () => true

function staticNode(digit: string, tcpPort = 30303): Enode {
  return { id: digit.repeat(128), host: '127.0.0.1', hostKind: 'ipv4', tcpPort, udpPort: tcpPort }
}

test('added peers and static nodes reach the network as soon as there is one', async () => {
  const list = new MaintainedPeers(NO_NAMES, everyone)
  assert.deepEqual(await list.add(url('a')), changed)
  assert.deepEqual(await list.add(url('a')), unchanged)
  assert.deepEqual(await list.add(url('a', '127.0.0.1:30304')), changed)
  const told: string[] = []
  const network = {
    maintain: ({ id, tcpPort }: Enode) => void told.push(`+${id[0]}${tcpPort}`) === undefined,
    remove: (id: string) => void told.push(`-${id[0]}`) === undefined,
  }
  list.attach(network, 'e'.repeat(128), [staticNode('c', 1)])
  assert.deepEqual(await list.add(url('b')), changed)
  assert.deepEqual(await list.add(url('e')), unchanged)
  assert.deepEqual(list.remove(url('c')), changed)
  assert.deepEqual(list.remove(url('d')), unchanged)
  assert.deepEqual(told, ['+a30304', '+c1', '+b30303', '-c', '-d'])
})

test('a static node that was removed before the network started is not dialled', async () => {
  const list = new MaintainedPeers(NO_NAMES, everyone)
  for (const digit of ['a', 'b']) assert.deepEqual(list.remove(url(digit)), unchanged)
  assert.deepEqual(await list.add(url('b')), changed)
  const told: string[] = []
  list.attach({ maintain: ({ id }) => void told.push(id[0]!), remove: () => {} }, 'e'.repeat(128), [
    staticNode('a'),
    staticNode('b'),
    staticNode('c'),
  ])
  assert.deepEqual(told, ['b', 'c'])
  assert.deepEqual(list.urls(), [url('b'), url('c')])
})

test('a URL that cannot be dialled is refused with its problem', async () => {
  const list = new MaintainedPeers(NO_NAMES, everyone)
  const problem = async (text: string) => {
    const change = await list.add(text)
    return change.ok ? undefined : change.problem
  }
  assert.equal(await problem('foo'), 'syntax')
  assert.equal(await problem(url('a', '127.0.0.1:0')), 'syntax')
  assert.equal(await problem('enode://aa@127.0.0.1:1'), 'nodeId')
  assert.equal(await problem(url('a', 'localhost:1')), 'hostName')
})

test('a host name is replaced by its address, or kept if it is resolved at every dial', async () => {
  for (const areKept of [false, true]) {
    const list = new MaintainedPeers({ ...LOCAL, areKept }, everyone)
    const told: string[] = []
    list.attach({ maintain: ({ host }) => void told.push(host), remove: () => {} }, 'e'.repeat(128), [])
    assert.deepEqual(await list.add(url('a', 'localhost:1')), changed)
    assert.deepEqual(await list.add(url('a', 'nowhere:1')), { ok: false, problem: 'unknownHost' })
    assert.deepEqual(told, [areKept ? 'localhost' : '127.0.0.1'])
  }
})

test('a peer that may not connect is not added, judged by its resolved address', async () => {
  const list = new MaintainedPeers(LOCAL, ({ id, host }) => id.startsWith('a') && host === '127.0.0.1')
  const refused = { ok: false, problem: 'notPermitted' }
  assert.deepEqual(await list.add(url('b')), refused)
  assert.deepEqual(await list.add(url('a', '10.0.0.1:30303')), refused)
  assert.deepEqual(await list.add(url('a', 'localhost:30303')), changed)
})
