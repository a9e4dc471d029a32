import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createSeededRandom } from '#platform/random.fixture.ts'
import type { Enode } from '#types/enode.ts'
import { DialPlan } from './dial-plan.ts'

const enode = (digit: string): Enode => ({
  id: digit.repeat(128),
  host: '10.0.0.1',
  hostKind: 'ipv4',
  tcpPort: 30303,
  udpPort: 30303,
})
const nobody = () => false
const make = () => {
  const clock = createFakeClock()
  return { clock, plan: new DialPlan(clock, createSeededRandom(1)) }
}

test('a maintained peer is dialled at once, then with growing pauses up to a minute', () => {
  const { clock, plan } = make()
  const peer = enode('a')
  plan.maintain(peer)
  const waits: number[] = []
  for (let dial = 0; dial < 8; dial++) {
    let waited = 0
    while (plan.due(nobody, [], 25, nobody).length === 0) {
      clock.advance(500)
      waited += 500
    }
    waits.push(waited)
    plan.ended(peer, 'nothing listens there', 0)
  }
  assert.equal(waits[0], 0)
  assert.ok(waits[1]! <= 4_000 && waits[1]! >= 3_000, `${waits[1]}`)
  for (const waited of waits) assert.ok(waited <= 60_000)
  assert.ok(waits.at(-1)! >= 45_000)
  assert.equal(plan.failed()[0]!.failures, 8)
})

test('a good connection resets the pauses and the failure', () => {
  const { clock, plan } = make()
  const peer = enode('a')
  plan.maintain(peer)
  plan.due(nobody, [], 25, nobody)
  plan.ended(peer, 'no', 0)
  clock.advance(60_000)
  assert.equal(plan.due(nobody, [], 25, nobody).length, 1)
  plan.opened(peer.id)
  assert.deepEqual(plan.failed(), [])
  plan.ended(peer, 'it left', 100_000)
  clock.advance(2_000)
  assert.equal(plan.due(nobody, [], 25, nobody).length, 1)
})

test('discovered nodes are dialled while there is room, and not again for a while', () => {
  const { clock, plan } = make()
  const found = ['a', 'b', 'c', 'd'].map(enode)
  const first = plan.due(nobody, found, 2, nobody)
  assert.deepEqual(first, found.slice(0, 2))
  assert.deepEqual(plan.due(nobody, found, 2, nobody), [])
  for (const peer of first) plan.ended(peer, 'no', 0)
  assert.deepEqual(plan.due(nobody, found, 2, nobody), found.slice(2))
  clock.advance(300_000)
  assert.equal(plan.due(nobody, found, 25, nobody).length, 2)
})

test('an expected node is dialled without room, and takes none', () => {
  const { plan } = make()
  const found = ['a', 'b', 'c'].map(enode)
  const isExpected = (id: string) => id === found[1]!.id
  assert.deepEqual(plan.due(nobody, found, 0, isExpected), [found[1]])
  assert.deepEqual(plan.due(nobody, found, 1, isExpected), [found[0]])
  assert.deepEqual(plan.due(nobody, found, 1, isExpected), [])
})

test('a node that is connected, being dialled or without a port is not dialled, and dials are limited', () => {
  const { plan } = make()
  const silent = { ...enode('a'), tcpPort: null }
  assert.deepEqual(plan.due(nobody, [silent], 25, nobody), [])
  assert.deepEqual(
    plan.due((id) => id === enode('b').id, [enode('b')], 25, nobody),
    [],
  )
  const many = Array.from({ length: 40 }, (_, at) => ({
    ...enode('c'),
    id: at.toString(16).padStart(128, '0'),
  }))
  assert.equal(plan.due(nobody, many, 100, nobody).length, 16)
  assert.equal(plan.due(nobody, many, 100, nobody).length, 0)
})
