import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InboundGate } from './inbound-gate.ts'

/** Silent connections from this many addresses; each takes as many places as it gets. */
function crowded(addressOf: (at: number) => string, addresses: number) {
  const gate = new InboundGate()
  const gone: string[] = []
  const attack = (nowMs: number): number => {
    let entered = 0
    for (let round = 0; round < 40; round++) {
      for (let at = 0; at < addresses; at++) {
        const ip = addressOf(at)
        if (gate.enter(ip, nowMs, () => gone.push(ip)) !== undefined) entered += 1
      }
    }
    return entered
  }
  return { gate, gone, attack }
}

test('silent connections from a few addresses do not lock out another address', () => {
  const { gate, gone, attack } = crowded((at) => `10.0.0.${at}`, 5)
  assert.equal(attack(0), 128)
  let isAway = false
  const leave = gate.enter('10.1.1.1', 0, () => {
    isAway = true
  })
  assert.ok(leave !== undefined)
  assert.equal(gone.length, 1)
  attack(0)
  attack(500)
  assert.equal(isAway, false)
  leave()
  leave()
  assert.ok(gate.enter('10.1.1.1', 500, () => {}) !== undefined)
})

test('slow connections give way if many addresses have one each', () => {
  const { gate, gone, attack } = crowded((at) => `10.0.${at >> 8}.${at & 255}`, 300)
  assert.equal(attack(0), 128)
  assert.equal(
    gate.enter('10.1.1.1', 900, () => {}),
    undefined,
  )
  assert.ok(gate.enter('10.1.1.1', 1_000, () => {}) !== undefined)
  assert.deepEqual(gone, ['10.0.0.0'])
})

test('one address gets a share of the places, and an IPv6 network counts as one address', () => {
  const { attack } = crowded(() => '10.0.0.1', 1)
  assert.equal(attack(0), 32)
  const { attack: attackFrom, gate } = crowded((at) => `2001:db8::${at.toString(16)}`, 200)
  assert.equal(attackFrom(0), 32)
  assert.ok(gate.enter('2001:db8:0:1::1', 0, () => {}) !== undefined)
})
