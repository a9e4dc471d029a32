import { crc32 } from 'node:zlib'

/** No flags, no time, an unknown system. */
const HEADER = Buffer.from('1f8b08000000000000ff', 'hex')
const LAST_STORED_BLOCK = 1
const BLOCK_HEADER_BYTES = 5
const TRAILER_BYTES = 8

/** A block has a length of 16 bits. */
export const STORED_MAX_BYTES = 0xffff

/** Text in gzip's format without compression. Clients that asked for gzip can read it, and it costs a copy. */
export function storeGzip(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const start = HEADER.length + BLOCK_HEADER_BYTES
  const stored = Buffer.allocUnsafe(start + length + TRAILER_BYTES)
  HEADER.copy(stored)
  stored[HEADER.length] = LAST_STORED_BLOCK
  stored.writeUInt16LE(length, HEADER.length + 1)
  stored.writeUInt16LE(length ^ STORED_MAX_BYTES, HEADER.length + 3)
  stored.write(text, start)
  stored.writeUInt32LE(crc32(stored.subarray(start, start + length)), start + length)
  stored.writeUInt32LE(length, start + length + 4)
  return stored
}
