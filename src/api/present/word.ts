import { formatData } from '#types/hex.ts'

const ZERO_WORD = `0x${'00'.repeat(32)}`

/** A storage value in full length; an unwritten one is zero. */
export function presentWord(value: Uint8Array | undefined): string {
  return value === undefined ? ZERO_WORD : formatData(value)
}
