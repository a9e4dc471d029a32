import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fault } from './fault.ts'
import {
  formatData,
  formatDigits,
  formatQuantity,
  parseData,
  parseDataLenient,
  parseFixedData,
  parseQuantityLenient,
} from './hex.ts'

function refuses(run: () => unknown, sentence: RegExp): void {
  assert.throws(run, (fault: Fault) => fault.kind === 'INVALID_HEX' && sentence.test(fault.data.sentence))
}

test('formatted data parses back to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      assert.deepEqual(parseData(formatData(bytes)), bytes)
      assert.deepEqual(parseDataLenient(formatDigits(bytes).toUpperCase()), bytes)
    }),
  )
})

test('a view into a larger buffer formats only its own bytes', () => {
  assert.equal(formatData(Uint8Array.of(1, 2, 3, 4).subarray(1, 3)), '0x0203')
})

test('a wrong digit is named with its position', () => {
  refuses(() => parseData('0x00g0'), /"g" at position 4/)
  refuses(() => parseData('0x000\n'), /"\\n" at position 5/)
  refuses(() => parseData('0x00\u{1f600}'), /"\u{1f600}" at position 4/u)
})

test('characters whose low byte is a digit are not digits', () => {
  refuses(() => parseData('0x\u0130\u0131'), /at position 2/)
  refuses(() => parseQuantityLenient('0x\u0131'), /at position 2/)
})

test('data needs a prefix and an even number of digits', () => {
  refuses(() => parseData('00'), /starts with 0x/)
  refuses(() => parseData('0X00'), /starts with 0x/)
  refuses(() => parseData('0x000'), /3 is odd/)
  assert.deepEqual(parseData('0x'), new Uint8Array(0))
})

test('data longer than the limit is refused', () => {
  assert.equal(parseData('0x0001', 2).length, 2)
  refuses(() => parseData('0x000102', 2), /6 digits, more than the 2 bytes/)
})

test('fixed data becomes canonical from any case and prefix', () => {
  for (const text of ['0xAb', '0XaB', 'ab', 'AB']) {
    assert.equal(parseFixedData(text, 1, 'INVALID_THING', 'A thing'), '0xab')
  }
})

test('fixed data of another length or with wrong digits has the given fault kind', () => {
  const refusesThing = (text: string, sentence: string) =>
    assert.throws(
      () => parseFixedData(text, 2, 'INVALID_THING', 'A thing'),
      (fault: Fault) => fault.kind === 'INVALID_THING' && fault.data.sentence === sentence,
    )
  refusesThing('0x', 'A thing is 0x and 4 hex digits: these are 0 hex digits instead.')
  refusesThing('0xabcdef', 'A thing is 0x and 4 hex digits: these are 6 hex digits instead.')
  refusesThing('abc', 'A thing is 0x and 4 hex digits: these are 3 hex digits instead.')
  refusesThing('0xabxd', 'A thing is 0x and 4 hex digits: "x" at position 4 is not a hex digit.')
})

test('a formatted quantity parses back to the same number', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (value) => {
      assert.equal(parseQuantityLenient(formatQuantity(value)), value)
    }),
  )
  assert.equal(formatQuantity(0), '0x0')
  assert.equal(formatQuantity(21_000), '0x5208')
})

test('leading zeros are accepted', () => {
  assert.equal(parseQuantityLenient('0x00ff'), 255n)
})

test('a quantity needs a prefix, a digit, digits only and a size within the limit', () => {
  refuses(() => parseQuantityLenient('1'), /starts with 0x/)
  refuses(() => parseQuantityLenient('0x'), /at least one digit/)
  refuses(() => parseQuantityLenient('0x-1'), /"-" at position 2/)
  refuses(() => parseQuantityLenient(`0x${'f'.repeat(65)}`), /65 digits, more than the 32 bytes/)
})

test('a quantity is neither negative nor a fraction', () => {
  assert.throws(() => formatQuantity(-1n), /not negative/)
  assert.throws(() => formatQuantity(1.5), /whole, exact/)
  assert.throws(() => formatQuantity(2 ** 53), /whole, exact/)
})
