import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '#types/address.ts'
import { formatDigits } from '#types/hex.ts'
import { decodeRlp } from '#types/rlp.ts'
import { encodeWithdrawal, withdrawalFromRlp } from './withdrawal.ts'

const WITHDRAWAL = {
  index: 0n,
  validatorIndex: 2n ** 64n - 1n,
  address: parseAddress('11'.repeat(20)),
  amountGwei: 256n,
}

test('a withdrawal is the list of its four fields', () => {
  const encoded = encodeWithdrawal(WITHDRAWAL)
  assert.equal(formatDigits(encoded), `e28088ffffffffffffffff94${'11'.repeat(20)}820100`)
  assert.deepEqual(withdrawalFromRlp(decodeRlp(encoded)), WITHDRAWAL)
})

test('a withdrawal of another shape is refused', () => {
  const empty = new Uint8Array(0)
  const address = new Uint8Array(20)
  for (const item of [
    empty,
    [empty, empty, address],
    [empty, empty, empty, empty],
    [new Uint8Array(9).fill(1), empty, address, empty],
    [empty, empty, address, empty, empty],
  ]) {
    assert.throws(() => withdrawalFromRlp(item), { name: 'Fault', kind: 'INVALID_RLP' })
  }
})
