import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EndpointSet } from './endpoint-set.ts'
import { parseEnode } from './enode.ts'

const A = 'aa'.repeat(64)
const B = 'bb'.repeat(64)
const node = (id: string, place: string) => parseEnode(`enode://${id}@${place}`)

test('a node is found by id, address and port together, regardless of its discovery port', () => {
  const set = new EndpointSet([node(A, '10.0.0.1:30303?discport=0'), node(A, '[2001:db8::1]:30303')])
  assert.ok(set.has(node(A, '10.0.0.1:30303')))
  assert.ok(set.has(node(A, '[2001:0db8:0::1]:30303?discport=1')))
  assert.ok(!set.has(node(B, '10.0.0.1:30303')), 'another id')
  assert.ok(!set.has(node(A, '10.0.0.2:30303')), 'another address')
  assert.ok(!set.has(node(A, '10.0.0.1:30304')), 'another port')
  assert.ok(!set.has(node(A, '10.0.0.1:0')), 'no port')
})

test('without a port a node is found by id and address', () => {
  const set = new EndpointSet([node(A, '10.0.0.1:30303')])
  assert.ok(set.hasHost(A, '10.0.0.1'))
  assert.ok(!set.hasHost(A, '10.0.0.2'))
  assert.ok(!set.hasHost(B, '10.0.0.1'))
})
