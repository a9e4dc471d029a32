import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallObject, SimulatedCallWire } from './call-object.ts'

const ADDRESS = `0x${'12'.repeat(20)}`

const callWith = (nonce: string) => ({
  to: ADDRESS,
  authorizationList: [{ chainId: '0x0', address: ADDRESS, nonce, authority: ADDRESS }],
})

test('the nonce of an authorization has at most 64 bits, as in a transaction', () => {
  for (const wire of [CallObject.schema, SimulatedCallWire]) {
    const most = wire.parse(callWith('0xffffffffffffffff'))
    assert.equal(most.authorizations?.[0]?.nonce, 2n ** 64n - 1n)
    for (const nonce of ['0x10000000000000000', `0x1${'0'.repeat(60)}`]) {
      assert.equal(wire.safeParse(callWith(nonce)).success, false, nonce)
    }
  }
})
