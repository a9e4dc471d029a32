/**
 * The layout of signature log entries, and whether the bytes after the last complete entry are a torn write. A power cut can
 * only interrupt one write, which leaves a part of one entry: a missing end, or unwritten sectors that read as zeros. Anything
 * else is damage to an entry that was on disk and may have been signed.
 */
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'
import { rlpItemEnd } from '#types/rlp.ts'

export const CHECKSUM_BYTES = 8
const LENGTH_BYTES = 4
const HEAD_BYTES = LENGTH_BYTES + CHECKSUM_BYTES
/** A certificate contains a block and some hundred prepares. */
export const MAX_ENTRY_BYTES = 32 * 1024 * 1024
/** The unit that a disk writes atomically. */
const SECTOR_BYTES = 512
/** Fewer zeros at the end of an entry may be part of it. */
const LEAST_UNWRITTEN_BYTES = 32
/** Maximum bytes hashed in search of entries, because block data can be made to look like many. */
const MAX_SEARCHED_BYTES = 4 * MAX_ENTRY_BYTES

export function encodeLogEntry(entry: Uint8Array, keccak: Keccak): Uint8Array {
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, entry.length)
  return concatBytes(length, checksumOf(entry, keccak), entry)
}

export interface LogEntry {
  readonly entry: Uint8Array
  readonly end: number
}

/** Returns undefined if no complete entry begins there. */
export function entryAt(bytes: Uint8Array, offset: number, keccak: Keccak): LogEntry | undefined {
  if (offset + HEAD_BYTES > bytes.length) return undefined
  return entryOf(bytes, offset, lengthAt(bytes, offset), keccak)
}

function entryOf(bytes: Uint8Array, offset: number, length: number, keccak: Keccak): LogEntry | undefined {
  const start = offset + HEAD_BYTES
  const end = start + length
  if (!isLength(length) || end > bytes.length) return undefined
  const entry = bytes.subarray(start, end)
  const expected = bytes.subarray(offset + LENGTH_BYTES, start)
  return equalBytes(expected, checksumOf(entry, keccak)) ? { entry, end } : undefined
}

/** Whether the bytes from `offset` on can be a torn write. */
export function isTornWrite(bytes: Uint8Array, offset: number, keccak: Keccak): boolean {
  const left = bytes.length - offset
  if (left < HEAD_BYTES) return true
  if (!hasUnwrittenSector(bytes, offset)) {
    const length = lengthAt(bytes, offset)
    if (!isLength(length) || left >= HEAD_BYTES + length) return false
    // The entry is there; only its length is wrong.
    if (entryOf(bytes, offset, rlpLengthAt(bytes, offset + HEAD_BYTES), keccak) !== undefined) return false
  }
  return !mayHoldEntry(bytes, offset + 1, keccak)
}

function hasUnwrittenSector(bytes: Uint8Array, offset: number): boolean {
  for (let start = offset; start < bytes.length; ) {
    const end = Math.min((Math.floor(start / SECTOR_BYTES) + 1) * SECTOR_BYTES, bytes.length)
    const sector = bytes.subarray(start, end)
    if (sector.length >= LEAST_UNWRITTEN_BYTES && sector.every((byte) => byte === 0)) return true
    start = end
  }
  return false
}

/** A complete entry after a broken one shows that the break is damage. In doubt there is one. */
function mayHoldEntry(bytes: Uint8Array, from: number, keccak: Keccak): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let searched = 0
  for (let offset = from; offset + HEAD_BYTES < bytes.length; offset++) {
    const length = view.getUint32(offset)
    if (!isLength(length) || offset + HEAD_BYTES + length > bytes.length) continue
    searched += length
    if (searched > MAX_SEARCHED_BYTES) return true
    if (entryOf(bytes, offset, length, keccak) !== undefined) return true
  }
  return false
}

export function checksumOf(bytes: Uint8Array, keccak: Keccak): Uint8Array {
  return keccak(bytes).slice(0, CHECKSUM_BYTES)
}

/** The length of the entry as an RLP item; 0 if it is invalid or incomplete. */
function rlpLengthAt(bytes: Uint8Array, offset: number): number {
  try {
    return rlpItemEnd(bytes, offset) - offset
  } catch (error) {
    if (error instanceof Fault) return 0
    throw error
  }
}

function isLength(length: number): boolean {
  return length > 0 && length <= MAX_ENTRY_BYTES
}

function lengthAt(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + offset).getUint32(0)
}
