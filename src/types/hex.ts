/**
 * Hex text: data (`0x` and two digits per byte) and quantities (`0x` and a number without leading zeros). Text is
 * untrusted, so every parser is bounded.
 */
import { assert } from './assert.ts'
import { Fault } from './fault.ts'

/** Default limit of data: a complete p2p message, 16 MiB. */
export const MAX_DATA_BYTES = 16 * 1024 * 1024
/** Default limit of a quantity: an EVM word. */
export const MAX_QUANTITY_BYTES = 32

const NOT_A_DIGIT = 0x10
const NIBBLES = new Uint8Array(256).fill(NOT_A_DIGIT)
for (const digit of '0123456789abcdefABCDEF') NIBBLES[digit.charCodeAt(0)] = Number.parseInt(digit, 16)

/** Parses `0x` followed by an even number of digits in any case. */
export function parseData(text: string, maxBytes: number = MAX_DATA_BYTES): Uint8Array {
  requirePrefix(text)
  return parseDigits(text, 2, maxBytes)
}

/** Like `parseData`, with an optional `0x`. */
export function parseDataLenient(text: string, maxBytes: number = MAX_DATA_BYTES): Uint8Array {
  return parseDigits(text, prefixLength(text), maxBytes)
}

export function formatData(bytes: Uint8Array): string {
  return `0x${formatDigits(bytes)}`
}

/** Two lower-case digits per byte, without `0x`. */
export function formatDigits(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/**
 * The canonical, lower-case text of exactly `length` bytes, from text in any case with an optional `0x`. Malformed
 * text is a fault of the given kind, with `noun` in its sentence.
 */
export function parseFixedData(text: string, length: number, kind: string, noun: string): string {
  const start = prefixLength(text)
  const position = findNonDigit(text, start, start + length * 2)
  const reason =
    position >= 0 ? notADigit(text, position) : `these are ${text.length - start} hex digits instead.`
  if (position >= 0 || text.length - start !== length * 2) {
    throw new Fault(kind, { sentence: `${noun} is 0x and ${length * 2} hex digits: ${reason}` })
  }
  return `0x${text.slice(start).toLowerCase()}`
}

/** A JSON-RPC quantity. Leading zeros are accepted, as in Besu. */
export function parseQuantityLenient(text: string, maxBytes: number = MAX_QUANTITY_BYTES): bigint {
  requirePrefix(text)
  if (text.length === 2)
    throw new Fault('INVALID_HEX', { sentence: 'A hex quantity has at least one digit.' })
  requireAtMost(text.length - 2, maxBytes)
  const position = findNonDigit(text, 2, text.length)
  if (position >= 0) throw new Fault('INVALID_HEX', { sentence: notADigit(text, position), position })
  return BigInt(text)
}

export function formatQuantity(value: bigint | number): string {
  assert(typeof value === 'bigint' || Number.isSafeInteger(value), 'A quantity is a whole, exact number.')
  assert(value >= 0, 'A quantity is not negative.')
  return `0x${value.toString(16)}`
}

/** Not Buffer, which reads only the low byte of each character and takes U+0130 for the digit 0. */
function parseDigits(text: string, start: number, maxBytes: number): Uint8Array {
  const digits = text.length - start
  requireAtMost(digits, maxBytes)
  if (digits % 2 !== 0) {
    throw new Fault('INVALID_HEX', { sentence: `Hex data has two digits per byte: ${digits} is odd.` })
  }
  const bytes = new Uint8Array(digits / 2)
  let position = start
  for (let index = 0; index < bytes.length; index++, position += 2) {
    const high = nibble(text.charCodeAt(position))
    const low = nibble(text.charCodeAt(position + 1))
    if ((high | low) >= NOT_A_DIGIT) {
      const offending = high >= NOT_A_DIGIT ? position : position + 1
      throw new Fault('INVALID_HEX', { sentence: notADigit(text, offending), position: offending })
    }
    bytes[index] = (high << 4) | low
  }
  return bytes
}

/** The value of a digit; at least NOT_A_DIGIT for every other UTF-16 code unit, without a branch. */
function nibble(code: number): number {
  return NIBBLES[code & 0xff]! | (code & 0xff00)
}

/** The position of the first character that is not a digit, or -1. */
function findNonDigit(text: string, start: number, end: number): number {
  for (let position = start; position < end && position < text.length; position++) {
    if (nibble(text.charCodeAt(position)) >= NOT_A_DIGIT) return position
  }
  return -1
}

/** Quoted as JSON, so control characters and half surrogates are readable. */
function notADigit(text: string, position: number): string {
  const character = String.fromCodePoint(text.codePointAt(position)!)
  return `${JSON.stringify(character)} at position ${position} is not a hex digit.`
}

function requireAtMost(digits: number, maxBytes: number): void {
  if (digits <= maxBytes * 2) return
  throw new Fault('INVALID_HEX', {
    sentence: `The hex text has ${digits} digits, more than the ${maxBytes} bytes allowed here.`,
    maxBytes,
  })
}

/** `0X` is accepted as well, as in Besu's parsers with an optional prefix. */
function prefixLength(text: string): 0 | 2 {
  return text.startsWith('0x') || text.startsWith('0X') ? 2 : 0
}

function requirePrefix(text: string): void {
  if (!text.startsWith('0x')) {
    throw new Fault('INVALID_HEX', { sentence: 'Hex text starts with 0x.', position: 0 })
  }
}
