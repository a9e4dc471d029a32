import { string } from 'zod'
import { Param } from '#rpc/param.ts'
import { Fault } from '#types/fault.ts'
import { parseDataLenient } from '#types/hex.ts'
import { parsedBy } from './parsed-text.ts'

const WORD_BYTES = 32

/** A storage slot: up to 32 bytes of hex, 0x before them or not, an odd digit standing for itself. */
export const SlotWire = string()
  .meta({ title: 'slot', description: 'up to 64 hex digits', pattern: '^(0x)?[0-9a-fA-F]{0,64}$' })
  .transform(parsedBy(parseSlot))

export const StorageSlot = new Param(SlotWire, 'INVALID_POSITION_PARAMS')

export function parseSlot(text: string): Uint8Array {
  const digits = /^0x/i.test(text) ? text.slice(2) : text
  if (digits.length > 2 * WORD_BYTES) {
    throw new Fault('INVALID_HEX', { sentence: 'A storage slot has at most 64 hex digits.' })
  }
  const bytes = parseDataLenient(digits.padStart(digits.length + (digits.length % 2), '0'), WORD_BYTES)
  const word = new Uint8Array(WORD_BYTES)
  word.set(bytes, WORD_BYTES - bytes.length)
  return word
}
