import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDigits } from '#types/hex.ts'
import { isLowS, signatureToBytes } from './signature.ts'

test('s is low up to half the order of the curve', () => {
  const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
  assert.deepEqual([isLowS(0n), isLowS(half), isLowS(half + 1n)], [true, true, false])
})

test('a signature has 65 bytes: r, s, parity', () => {
  assert.equal(
    formatDigits(signatureToBytes(1n, 2n, 1)),
    `${'1'.padStart(64, '0')}${'2'.padStart(64, '0')}01`,
  )
})
