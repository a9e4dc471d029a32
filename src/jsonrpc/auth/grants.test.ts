import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnonymousCaller, createGrantedCaller, grantsOf, UNRESTRICTED_CALLER } from './grants.ts'

const NONE: ReadonlySet<string> = new Set()

test('a method is granted by everything, by its namespace and by its own name', () => {
  for (const grant of ['*:*', 'eth:*', 'eth:getBalance']) {
    assert.equal(createGrantedCaller([grant], NONE).mayCall('eth_getBalance'), true, grant)
  }
})

test('grants are compared letter by letter', () => {
  const almost = [
    '*:getBalance',
    'ETH:*',
    'eth:get*',
    'eth_getBalance',
    'eth',
    'eth:',
    ':*',
    '*',
    'eth:getbalance',
  ]
  assert.equal(createGrantedCaller(almost, NONE).mayCall('eth_getBalance'), false)
})

test('a grant of one method or namespace grants no other', () => {
  const caller = createGrantedCaller(['eth:getBalance', 'net:*'], NONE)
  assert.equal(caller.mayCall('eth_getBalanceX'), false)
  assert.equal(caller.mayCall('eth_call'), false)
  assert.equal(caller.mayCall('network_x'), false)
  assert.equal(caller.mayCall('net_peerCount'), true)
})

test('an alias needs a separate grant', () => {
  const caller = createGrantedCaller(['txpool:clientStatistics'], NONE)
  assert.equal(caller.mayCall('txpool_clientStatistics'), true)
  assert.equal(caller.mayCall('txpool_besuStatistics'), false)
})

test('a name with a point has the grants of the one with an underscore, one without either only everything', () => {
  assert.deepEqual(grantsOf('rpc.discover'), grantsOf('rpc_discover'))
  assert.equal(createGrantedCaller(['nope:*x', 'nope'], NONE).mayCall('nope'), false)
  assert.equal(createGrantedCaller(['*:*'], NONE).mayCall('nope'), true)
})

test('a method free of authentication may be called by anyone, other methods stay closed', () => {
  const free = new Set(['net_version'])
  for (const caller of [createAnonymousCaller(free), createGrantedCaller([], free)]) {
    assert.equal(caller.mayCall('net_version'), true)
    assert.equal(caller.mayCall('net_listening'), false)
  }
  assert.equal(UNRESTRICTED_CALLER.mayCall('anything'), true)
})

test('a caller without a token is anonymous, and one with a token is not', () => {
  assert.equal(createAnonymousCaller(new Set()).isAnonymous, true)
  assert.notEqual(createGrantedCaller([], new Set()).isAnonymous, true)
})
