import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_UINT256 } from '#types/bytes.ts'
import {
  MAX_LONG,
  padHexText,
  parseDecimalText,
  parseHexText,
  parseLongText,
  parseWeiText,
} from './genesis-number.ts'

test('a long is decimal, hex after 0x, and octal after a leading zero', () => {
  assert.equal(parseLongText('700000000'), 700000000n)
  assert.equal(parseLongText('0x58ee40ba'), 0x58ee40ban)
  assert.equal(parseLongText('0X10'), 16n)
  assert.equal(parseLongText('010'), 8n)
  assert.equal(parseLongText('0'), 0n)
  assert.equal(parseLongText('00'), 0n)
})

test('a long has no sign, no fraction and at most 63 bits', () => {
  for (const text of ['', '-1', '+1', '1.0', '1e3', ' 1', '08', '0x', '0x0x1', 'abc']) {
    assert.equal(parseLongText(text), undefined, text)
  }
  assert.equal(parseLongText(String(MAX_LONG)), MAX_LONG)
  assert.equal(parseLongText(String(MAX_LONG + 1n)), undefined)
})

test('hex needs no prefix, so 10 means sixteen', () => {
  assert.equal(parseHexText('10'), 16n)
  assert.equal(parseHexText('0x0000000000000042'), 0x42n)
  assert.equal(parseHexText('0xFF'), 255n)
  assert.equal(parseHexText(''), undefined)
  assert.equal(parseHexText('0xg'), undefined)
  assert.equal(parseHexText('0x100', 0xffn), undefined)
})

test('an amount is decimal unless it begins with 0x', () => {
  assert.equal(parseWeiText('90000000000000000000000'), 90000000000000000000000n)
  assert.equal(parseWeiText('0xad78ebc5ac6200000'), 0xad78ebc5ac6200000n)
  assert.equal(parseWeiText('0x'), 0n)
  assert.equal(parseWeiText('ff'), undefined)
  assert.equal(parseWeiText(String(MAX_UINT256)), MAX_UINT256)
  assert.equal(parseWeiText(String(MAX_UINT256 + 1n)), undefined)
})

test('text of a million digits is refused before it is converted', () => {
  const digits = '9'.repeat(1_000_000)
  assert.equal(parseDecimalText(digits), undefined)
  assert.equal(parseHexText(digits), undefined)
  assert.equal(parseLongText(`0${'7'.repeat(1_000_000)}`), undefined)
})

test('short hex is padded on the left and long hex is refused', () => {
  assert.equal(padHexText('0xAb1', 2), '0x0ab1')
  assert.equal(padHexText('', 2), '0x0000')
  assert.equal(padHexText('0x12345', 2), undefined)
  assert.equal(padHexText('xyz', 2), undefined)
})
