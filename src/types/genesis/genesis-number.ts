/**
 * Numbers and hex in a genesis file, each parsed as in Besu. All functions return undefined for malformed text and
 * bound the text before BigInt.
 */
import { MAX_UINT256 } from '#types/bytes.ts'

export const MAX_INT = 2n ** 31n - 1n
export const MAX_LONG = 2n ** 63n - 1n

/** 2^256 has 78 decimal digits; some files pad with zeros. */
const MAX_DECIMAL_DIGITS = 100
const MAX_HEX_DIGITS = 200

/** `123`, `0x7b` or, with a leading zero, octal `0173`: gasLimit, timestamp, baseFeePerGas. */
export function parseLongText(text: string): bigint | undefined {
  if (/^0[xX]/.test(text)) return parseHexText(text, MAX_LONG)
  if (/^0[0-7]+$/.test(text)) return atMost(boundedBigInt(`0o${text.slice(1)}`, MAX_DECIMAL_DIGITS), MAX_LONG)
  return /^0\d/.test(text) ? undefined : parseDecimalText(text, MAX_LONG)
}

export function parseDecimalText(text: string, max: bigint = MAX_UINT256): bigint | undefined {
  return /^\d+$/.test(text) ? atMost(boundedBigInt(text, MAX_DECIMAL_DIGITS), max) : undefined
}

/** Hex digits with or without `0x` and leading zeros: difficulty and nonces, where `10` is sixteen. */
export function parseHexText(text: string, max: bigint = MAX_UINT256): bigint | undefined {
  const digits = stripPrefix(text)
  return /^[0-9a-fA-F]+$/.test(digits) ? atMost(boundedBigInt(`0x${digits}`, MAX_HEX_DIGITS), max) : undefined
}

/** An amount: hex if it begins with `0x`, else decimal. */
export function parseWeiText(text: string): bigint | undefined {
  if (text === '0x') return 0n
  return text.startsWith('0x') ? parseHexText(text) : parseDecimalText(text)
}

/** Pads with zeros on the left to `0x` and exactly `bytes` bytes in lower case; undefined if longer or not hex. */
export function padHexText(text: string, bytes: number): string | undefined {
  const digits = stripPrefix(text)
  if (digits.length > bytes * 2 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined
  return `0x${digits.toLowerCase().padStart(bytes * 2, '0')}`
}

export function stripPrefix(text: string): string {
  return /^0[xX]/.test(text) ? text.slice(2) : text
}

function boundedBigInt(text: string, maxLength: number): bigint | undefined {
  return text.length > maxLength ? undefined : BigInt(text)
}

function atMost(value: bigint | undefined, max: bigint): bigint | undefined {
  return value !== undefined && value <= max ? value : undefined
}
