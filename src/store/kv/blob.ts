/**
 * Headers, bodies, receipts, call trees and code: one byte for the form, then the bytes, raw, without runs of zeros
 * or compressed. On blocks of 200 ERC-20 transfers, zstd at level 1 compresses 35 KB of body to 18 KB and 34 KB of
 * receipts to 7 KB in 76 and 41 microseconds, smaller than deflate (level 1 and 6) in a quarter of the time. Starting
 * it takes 20 microseconds in either direction, too much for the blocks of quiet networks.
 */
import { constants, zstdCompressSync } from 'node:zlib'
import { corruptFault } from '#store/faults.ts'
import { unzstd } from './unzstd.ts'
import { ValueReader, ValueWriter } from './varint.ts'

const RAW = 0
const ZSTD = 1
const PACKED = 2
/** One or two transactions: zstd would save a tenth of the bytes for ten times the time. */
const COMPRESS_FROM_BYTES = 512
/** A larger blob is damaged: no block or call tree comes near. */
export const MAX_BLOB_BYTES = 2 ** 30
const OPTIONS = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export function encodeBlob(bytes: Uint8Array): Uint8Array {
  if (bytes.length < COMPRESS_FROM_BYTES) return packed(bytes)
  const compressed = zstdCompressSync(bytes, OPTIONS)
  return compressed.length < bytes.length ? tagged(ZSTD, compressed) : tagged(RAW, bytes)
}

/** Only the zeros of its bloom repeat in a header, so zstd gains nothing. */
export function encodeHeaderBlob(bytes: Uint8Array): Uint8Array {
  return bytes.length <= MAX_PACKED_BYTES ? packed(bytes) : encodeBlob(bytes)
}

function packed(bytes: Uint8Array): Uint8Array {
  const shorter = packZeros(bytes)
  return shorter.length < bytes.length ? tagged(PACKED, shorter) : tagged(RAW, bytes)
}

export function decodeBlob(stored: Uint8Array): Uint8Array {
  const bytes = stored.subarray(1)
  if (stored[0] === RAW) return bytes
  if (stored[0] === PACKED) return unpackZeros(bytes)
  if (stored[0] !== ZSTD) throw corruptFault('a blob is in an unknown form')
  try {
    return unzstd(bytes, { maxOutputLength: MAX_BLOB_BYTES })
  } catch (cause) {
    throw corruptFault(`a blob does not decompress (${cause instanceof Error ? cause.message : cause})`)
  }
}

function tagged(form: number, bytes: Uint8Array): Uint8Array {
  const blob = new Uint8Array(bytes.length + 1)
  blob[0] = form
  blob.set(bytes, 1)
  return blob
}

/**
 * Packs short bytes with runs of zeros, such as header blooms and padded log words, as parts and run lengths.
 * docs/internals/wire/store.md is the specification.
 */

/** Longer bytes are neither packed nor unpacked. */
const MAX_PACKED_BYTES = 4096
/** A run costs two bytes: its length and that of the next part. */
const MIN_RUN = 4

const writer = new ValueWriter(MAX_PACKED_BYTES)
const unpacked = new Uint8Array(MAX_PACKED_BYTES)

/** Returns a view, valid until the next call. */
function packZeros(bytes: Uint8Array): Uint8Array {
  writer.clear()
  let from = 0
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== 0) {
      at++
      continue
    }
    const start = at
    while (at < bytes.length && bytes[at] === 0) at++
    if (at - start < MIN_RUN) continue
    append(bytes.subarray(from, start))
    writer.varint(at - start)
    from = at
  }
  if (from < bytes.length) append(bytes.subarray(from))
  return writer.view()
}

function append(part: Uint8Array): void {
  writer.varint(part.length)
  writer.append(part)
}

function unpackZeros(packed: Uint8Array): Uint8Array {
  const reader = new ValueReader(packed)
  let at = 0
  while (reader.left > 0) {
    const part = reader.take(reader.varint())
    const zeros = reader.left > 0 ? reader.varint() : 0
    const end = at + part.length + zeros
    if (end > MAX_PACKED_BYTES) throw corruptFault('a packed blob is too long')
    unpacked.set(part, at)
    unpacked.fill(0, at + part.length, end)
    at = end
  }
  return unpacked.slice(0, at)
}
