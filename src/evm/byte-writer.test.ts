import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'

test('written values are read back, across growth', () => {
  const writer = new ByteWriter()
  const long = new Uint8Array(5000).fill(3)
  writer.uint8(1)
  writer.uint16(0x0203)
  writer.uint32(0xffff_ffff)
  writer.uint64(2n ** 64n - 1n)
  writer.uint256(2n ** 255n + 1n)
  writer.sizedBytes(long)
  const reader = new ByteReader(writer.finish())
  assert.equal(reader.uint8(), 1)
  assert.equal(reader.uint16(), 0x0203)
  assert.equal(reader.uint32(), 0xffff_ffff)
  assert.equal(reader.uint64(), 2n ** 64n - 1n)
  assert.equal(reader.uint256(), 2n ** 255n + 1n)
  assert.deepEqual(reader.sizedBytes(), long)
  assert.ok(reader.isAtEnd)
  assert.throws(() => reader.uint8(), /ends before/)
})

test('a writer is empty after finishing, and its result stays unchanged', () => {
  const writer = new ByteWriter()
  writer.uint256(5n)
  const first = writer.finish()
  writer.uint256(0n)
  assert.equal(first[31], 5)
  assert.equal(writer.length, 32)
})

test('a number of more than 64 bits is refused', () => {
  const writer = new ByteWriter()
  assert.throws(() => writer.uint64(2n ** 64n), /64 bits/)
  assert.throws(() => writer.uint64(-1n), /64 bits/)
})
