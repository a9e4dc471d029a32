/**
 * Records of the file of votes as they lie one behind another, and the question whether what follows the last whole one
 * was left by a write that a power cut ended. Such a write was the only one under way, so that it left a part of one
 * record: an end that is missing, or sectors that were never written and read as zeros. Anything else is damage to
 * something that was on the disk, and may have been signed.
 */
import { concatBytes, equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import type { Keccak } from '#types/keccak.ts'
import { rlpItemEnd } from '#types/rlp.ts'

export const CHECKSUM_BYTES = 8
const LENGTH_BYTES = 4
const HEAD_BYTES = LENGTH_BYTES + CHECKSUM_BYTES
/** A certificate holds a block and some hundred prepares. */
export const MAX_RECORD_BYTES = 32 * 1024 * 1024
/** What a disk writes whole or not at all. */
const SECTOR_BYTES = 512
/** Fewer zeros at the end of a record may belong to it. */
const LEAST_UNWRITTEN_BYTES = 32
/** What may be hashed in search of records: bytes of a block can be made to look like many. */
const MAX_SEARCHED_BYTES = 4 * MAX_RECORD_BYTES

export function frameRecord(record: Uint8Array, keccak: Keccak): Uint8Array {
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, record.length)
  return concatBytes(length, checksumOf(record, keccak), record)
}

export interface FramedRecord {
  readonly record: Uint8Array
  readonly end: number
}

/** undefined: no whole record begins there. */
export function recordAt(bytes: Uint8Array, offset: number, keccak: Keccak): FramedRecord | undefined {
  if (offset + HEAD_BYTES > bytes.length) return undefined
  return recordOf(bytes, offset, lengthAt(bytes, offset), keccak)
}

function recordOf(
  bytes: Uint8Array,
  offset: number,
  length: number,
  keccak: Keccak,
): FramedRecord | undefined {
  const start = offset + HEAD_BYTES
  const end = start + length
  if (!isLength(length) || end > bytes.length) return undefined
  const record = bytes.subarray(start, end)
  const expected = bytes.subarray(offset + LENGTH_BYTES, start)
  return equalBytes(expected, checksumOf(record, keccak)) ? { record, end } : undefined
}

/** Whether the bytes from `offset` to the end can be what a write left that was cut short. */
export function isTornWrite(bytes: Uint8Array, offset: number, keccak: Keccak): boolean {
  const left = bytes.length - offset
  if (left < HEAD_BYTES) return true
  if (!hasUnwrittenSector(bytes, offset)) {
    const length = lengthAt(bytes, offset)
    if (!isLength(length) || left >= HEAD_BYTES + length) return false
    // The record is there; only its length is wrong.
    if (recordOf(bytes, offset, rlpLengthAt(bytes, offset + HEAD_BYTES), keccak) !== undefined) return false
  }
  return !mayHoldRecord(bytes, offset + 1, keccak)
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

/** A whole record anywhere behind a broken one shows that the break is damage. In doubt there is one. */
function mayHoldRecord(bytes: Uint8Array, from: number, keccak: Keccak): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let searched = 0
  for (let offset = from; offset + HEAD_BYTES < bytes.length; offset++) {
    const length = view.getUint32(offset)
    if (!isLength(length) || offset + HEAD_BYTES + length > bytes.length) continue
    searched += length
    if (searched > MAX_SEARCHED_BYTES) return true
    if (recordOf(bytes, offset, length, keccak) !== undefined) return true
  }
  return false
}

export function checksumOf(bytes: Uint8Array, keccak: Keccak): Uint8Array {
  return keccak(bytes).slice(0, CHECKSUM_BYTES)
}

/** What a record says itself about its length, since it is an RLP item. 0: it is none, or not whole. */
function rlpLengthAt(bytes: Uint8Array, offset: number): number {
  try {
    return rlpItemEnd(bytes, offset) - offset
  } catch (error) {
    if (error instanceof Fault) return 0
    throw error
  }
}

function isLength(length: number): boolean {
  return length > 0 && length <= MAX_RECORD_BYTES
}

function lengthAt(bytes: Uint8Array, offset: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + offset).getUint32(0)
}
