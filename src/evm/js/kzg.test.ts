import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { formatData } from '#types/hex.ts'
import { verifyKzgProof } from './kzg.ts'

const { G1 } = bls12_381
const INFINITY = `0xc0${'00'.repeat(47)}`
const GENERATOR = formatData(G1.Point.BASE.toBytes())
const number = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

test('a constant polynomial has its constant everywhere, with the point at infinity as proof', () => {
  assert.equal(verifyKzgProof(GENERATOR, number(5), number(1), INFINITY), true)
  assert.equal(verifyKzgProof(GENERATOR, number(5), number(2), INFINITY), false)
  assert.equal(verifyKzgProof(INFINITY, number(0), number(0), INFINITY), true)
  assert.equal(verifyKzgProof(GENERATOR, number(5), number(1), GENERATOR), false)
})

test('numbers beyond the field and points outside the group are refused', () => {
  const beyond = `0x${'ff'.repeat(32)}`
  assert.throws(() => verifyKzgProof(GENERATOR, beyond, number(1), INFINITY))
  assert.throws(() => verifyKzgProof(GENERATOR, number(1), beyond, INFINITY))
  assert.throws(() => verifyKzgProof(`0x${'00'.repeat(48)}`, number(1), number(1), INFINITY))
  assert.throws(() => verifyKzgProof(`0xa0${'00'.repeat(46)}01`, number(1), number(1), INFINITY))
})
