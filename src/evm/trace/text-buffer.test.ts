import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ascii, TextBuffer } from './text-buffer.ts'

test('text has the order in which its parts were written, short or long', () => {
  const [buffer, other] = [new TextBuffer(), new TextBuffer()]
  const long = 'abc'.repeat(5_000)
  other.text('other')
  buffer.text('[')
  buffer.text(long)
  buffer.bytes(ascii(','))
  buffer.range(ascii(`xx${long}`), 2, 2 + long.length)
  buffer.digits(Uint8Array.of(0xff, 0x00, 0x1a, 0xff), 1, 3)
  buffer.digits(new Uint8Array(200).fill(0xab), 0, 200)
  buffer.append(other)
  assert.equal(buffer.take(), `[${long},${long}001a${'ab'.repeat(200)}other`)
  assert.equal(buffer.length, 0)
  assert.equal(buffer.take(), '')
})

test('whole numbers of any size are written in decimal', () => {
  const powers = Array.from({ length: 12 }, (_, digits) => 10 ** digits)
  const numbers = [0, ...powers.flatMap((power) => [power - 1, power]), 2 ** 31 - 1, 2 ** 31, -5, 2n ** 64n]
  for (const value of numbers) {
    const buffer = new TextBuffer()
    buffer.decimal(value)
    assert.equal(buffer.take(), String(value))
  }
})
