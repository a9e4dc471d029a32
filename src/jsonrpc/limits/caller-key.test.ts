import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerKey } from './caller-key.ts'

const caller = { mayCall: () => true }

test('a caller is its user, else the network part of its address, else this process', () => {
  const alice = { ...caller, user: 'ali', account: 'alice' }
  assert.equal(callerKey({ caller: alice, remoteAddress: '10.0.0.7' }), 'user alice')
  assert.equal(callerKey({ caller, remoteAddress: '::ffff:10.0.0.7' }), 'address 10.0.0.7')
  assert.equal(
    callerKey({ caller, remoteAddress: '2001:db8::1' }),
    callerKey({ remoteAddress: '2001:db8::2' }),
  )
  assert.equal(callerKey({ caller }), 'this process')
})

test('no user can take the share of an address or of this process', () => {
  const keys = ['10.0.0.7', 'this process'].map((account) => callerKey({ caller: { ...caller, account } }))
  assert.deepEqual(keys, ['user 10.0.0.7', 'user this process'])
})
