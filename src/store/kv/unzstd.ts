import { constants, type ZstdOptions, zstdDecompressSync } from 'node:zlib'

/**
 * Decompresses zstd. The result owns its memory: zlib returns a part of a pool of 64 KiB, and a cached block of 4 kB
 * would keep all of it.
 */
export function unzstd(bytes: Uint8Array, options: ZstdOptions): Uint8Array {
  const unpacked = zstdDecompressSync(bytes, options)
  const spareBytes = unpacked.buffer.byteLength - unpacked.length
  return spareBytes <= END_BYTES ? unpacked : new Uint8Array(unpacked)
}

/** Room after the content, by which zlib sees that nothing follows; otherwise it asks for another piece. */
const END_BYTES = 1
/** A hostile length reserves at most this; longer content comes in several pieces. */
const PIECE_MAX_BYTES = 1024 * 1024

/**
 * Decompresses content of an expected length into one piece, in half of the time. The result may be shorter; longer content
 * is refused.
 */
export function unzstdExpecting(bytes: Uint8Array, length: number, dictionary?: Uint8Array): Uint8Array {
  const chunkSize = Math.max(constants.Z_MIN_CHUNK, Math.min(length, PIECE_MAX_BYTES) + END_BYTES)
  return unzstd(bytes, { maxOutputLength: length, chunkSize, ...(dictionary && { dictionary }) })
}
