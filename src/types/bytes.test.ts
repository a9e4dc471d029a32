import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bigintToBytes,
  bytesToBigint,
  compareBytes,
  concatBytes,
  equalBytes,
  numberToBytes,
} from './bytes.ts'

const bytes = fc.uint8Array({ maxLength: 40 })

test('joining keeps every byte in order', () => {
  fc.assert(
    fc.property(fc.array(bytes), (parts) => {
      assert.deepEqual(
        Array.from(concatBytes(...parts)),
        parts.flatMap((part) => Array.from(part)),
      )
    }),
  )
})

test('comparison agrees with equality and with the order of unsigned bytes', () => {
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(a, b))
      assert.equal(equalBytes(a, b), compareBytes(a, b) === 0)
    }),
  )
  assert.ok(compareBytes(Uint8Array.of(0x7f), Uint8Array.of(0x80)) < 0)
  assert.ok(compareBytes(Uint8Array.of(1), Uint8Array.of(1, 0)) < 0)
})

test('a number is encoded in as few bytes as possible', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 300n }), (value) => {
      const encoded = bigintToBytes(value)
      assert.notEqual(encoded[0], 0)
      assert.equal(bytesToBigint(encoded), value)
    }),
  )
  assert.equal(bigintToBytes(0n).length, 0)
})

test('every encoder gives a number the same bytes', () => {
  for (let bits = 0n; bits <= 300n; bits++) {
    for (const value of [2n ** bits - 1n, 2n ** bits]) {
      const digits = value === 0n ? '' : value.toString(16)
      const text = digits.length % 2 === 0 ? digits : `0${digits}`
      assert.equal(Buffer.from(bigintToBytes(value)).toString('hex'), text)
      assert.equal(Buffer.from(bigintToBytes(value, 40)).toString('hex'), text.padStart(80, '0'))
      const length = text.length / 2
      if (length > 0) assert.throws(() => bigintToBytes(value, length - 1), /The number fits in/)
      if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
        assert.deepEqual(numberToBytes(Number(value), 9), bigintToBytes(value, 9))
      }
    }
  }
})

test('a number is padded to a given length and refused if it does not fit', () => {
  assert.deepEqual(bigintToBytes(0x102n, 4), Uint8Array.of(0, 0, 1, 2))
  assert.deepEqual(bigintToBytes(0n, 2), Uint8Array.of(0, 0))
  assert.throws(() => bigintToBytes(0x10000n, 2), /fits in 2 bytes/)
  assert.throws(() => bigintToBytes(-1n), /not negative/)
})

test('numbers of every length survive decoding', () => {
  for (let length = 0; length <= 40; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => 0xff - index * 3)
    const expected = length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    assert.equal(bytesToBigint(bytes), expected)
    assert.equal(bytesToBigint(new Uint8Array(length)), 0n)
  }
})
