import { formatData } from '#types/hex.ts'

const ZERO = `0x${'00'.repeat(32)}`

/** The value of a storage slot, whole; one that was never written is zero. */
export function presentWord(value: Uint8Array | undefined): string {
  return value === undefined ? ZERO : formatData(value)
}
