import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Enode } from '#types/enode.ts'
import { MaintainedPeers } from './maintained-peers.ts'

const url = (digit: string, place = '127.0.0.1:30303') => `enode://${digit.repeat(128)}@${place}`
const changed = { ok: true, changed: true }
const unchanged = { ok: true, changed: false }

test('who is added is told to the network as soon as there is one, static nodes too', () => {
  const list = new MaintainedPeers(false)
  assert.deepEqual(list.add(url('a')), changed)
  assert.deepEqual(list.add(url('a')), unchanged)
  assert.deepEqual(list.add(url('a', '127.0.0.1:30304')), changed)
  const told: string[] = []
  const network = {
    maintain: ({ id, tcpPort }: Enode) => void told.push(`+${id[0]}${tcpPort}`) === undefined,
    remove: (id: string) => void told.push(`-${id[0]}`) === undefined,
  }
  const fixed: Enode = { id: 'c'.repeat(128), host: '10.0.0.1', hostKind: 'ipv4', tcpPort: 1, udpPort: 1 }
  list.attach(network, 'e'.repeat(128), [fixed])
  assert.deepEqual(list.add(url('b')), changed)
  assert.deepEqual(list.add(url('e')), unchanged)
  assert.deepEqual(list.remove(url('c')), changed)
  assert.deepEqual(list.remove(url('d')), unchanged)
  assert.deepEqual(told, ['+a30304', '+c1', '+b30303', '-c', '-d'])
})

test('what is no node that can be dialled is refused with what is wrong', () => {
  const list = new MaintainedPeers(false)
  const problem = (text: string) => {
    const change = list.add(text)
    return change.ok ? undefined : change.problem
  }
  assert.equal(problem('foo'), 'syntax')
  assert.equal(problem(url('a', '127.0.0.1:0')), 'syntax')
  assert.equal(problem('enode://aa@127.0.0.1:1'), 'nodeId')
  assert.equal(problem(url('a', 'localhost:1')), 'hostName')
  assert.deepEqual(new MaintainedPeers(true).add(url('a', 'localhost:1')), changed)
})
