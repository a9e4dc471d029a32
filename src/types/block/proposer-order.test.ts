import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, parseAddress } from '#types/address.ts'
import { inChecksumOrder, ordersDiffer } from './proposer-order.ts'

const one = parseAddress('11'.repeat(20))
const small = parseAddress('a5cc3c03994db5b0d9a5eedd10cabab0813678ac')
const capital = parseAddress('cc'.repeat(20))

test('upper-case letters come before lower-case ones in checksum order', () => {
  assert.deepEqual(inChecksumOrder([one, small, capital]), [one, capital, small])
})

test('orders differ if a validator has another successor', () => {
  assert.equal(ordersDiffer([capital, one, small]), true)
  assert.equal(ordersDiffer([small, capital]), false, 'two validators follow each other in every order')
  assert.equal(ordersDiffer([one]), false)
  assert.equal(ordersDiffer([]), false)
})

test('some random sets of four have two orders', () => {
  const factor = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bn
  const random = (seed: number): Address =>
    parseAddress(((BigInt(seed) * factor) % 2n ** 160n).toString(16).padStart(40, '0'))
  const sets = Array.from({ length: 1_000 }, (_, set) => [1, 2, 3, 4].map((each) => random(4 * set + each)))
  const differing = sets.filter(ordersDiffer).length
  assert.ok(differing > 80 && differing < 260, `${differing} of 1,000`)
})
