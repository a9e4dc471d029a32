/** Snappy's framing format: chunks of at most 64 KiB, each with a checksum of its uncompressed bytes. */
import { deflate, inflate } from '#p2p/rlpx/snappy.ts'
import { maskedCrc32c } from '#platform/crc32c.ts'
import { concatBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'

const STREAM_IDENTIFIER = Buffer.from('ff060000734e61507059', 'hex')
const COMPRESSED = 0x00
const UNCOMPRESSED = 0x01
const IDENTIFIER = 0xff
/** Chunks from this type on may be skipped. */
const FIRST_SKIPPABLE = 0x80
const CHUNK_BYTES = 65_536
const CHUNK_HEADER_BYTES = 4
const CRC_BYTES = 4

export function encodeFrames(plain: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [STREAM_IDENTIFIER]
  for (let at = 0; at < plain.length; at += CHUNK_BYTES) {
    const piece = plain.subarray(at, at + CHUNK_BYTES)
    const packed = deflate(piece)
    const isSmaller = packed.length < piece.length
    const data = isSmaller ? packed : piece
    const header = Buffer.alloc(CHUNK_HEADER_BYTES + CRC_BYTES)
    header[0] = isSmaller ? COMPRESSED : UNCOMPRESSED
    header.writeUIntLE(CRC_BYTES + data.length, 1, 3)
    header.writeUInt32LE(maskedCrc32c(piece, 0, piece.length), CHUNK_HEADER_BYTES)
    chunks.push(header, data)
  }
  return concatBytes(...chunks)
}

/** Throws a Fault unless the frames are complete, their checksums match and they hold at most `maxBytes`. */
export function decodeFrames(frames: Uint8Array, maxBytes: number): Uint8Array {
  const bytes = Buffer.from(frames.buffer, frames.byteOffset, frames.length)
  if (!bytes.subarray(0, STREAM_IDENTIFIER.length).equals(STREAM_IDENTIFIER))
    throw invalid('do not begin with the identifier of the format')
  const pieces: Uint8Array[] = []
  let total = 0
  for (let at = 0; at < bytes.length; ) {
    if (bytes.length - at < CHUNK_HEADER_BYTES) throw invalid('are cut off')
    const type = bytes[at]!
    const start = at + CHUNK_HEADER_BYTES
    const end = start + bytes.readUIntLE(at + 1, 3)
    if (end > bytes.length) throw invalid('are cut off')
    const chunk = bytes.subarray(start, end)
    at = end
    if (type === IDENTIFIER || (type >= FIRST_SKIPPABLE && type < IDENTIFIER)) continue
    const piece = decodeChunk(type, chunk)
    total += piece.length
    if (total > maxBytes) throw invalid(`hold more than ${maxBytes} bytes`)
    pieces.push(piece)
  }
  return concatBytes(...pieces)
}

function decodeChunk(type: number, chunk: Buffer): Uint8Array {
  if (type !== COMPRESSED && type !== UNCOMPRESSED) throw invalid(`have a chunk of the unknown type ${type}`)
  if (chunk.length < CRC_BYTES) throw invalid('have a chunk without a checksum')
  const data = chunk.subarray(CRC_BYTES)
  if (type === UNCOMPRESSED && data.length > CHUNK_BYTES) throw invalid('have a chunk that is too long')
  const piece = type === UNCOMPRESSED ? data : inflateChunk(data)
  if (maskedCrc32c(piece, 0, piece.length) !== chunk.readUInt32LE()) throw invalid('have a wrong checksum')
  return piece
}

function inflateChunk(data: Uint8Array): Uint8Array {
  try {
    return inflate(data, CHUNK_BYTES)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw invalid('have a chunk that does not decompress')
  }
}

function invalid(what: string) {
  return new Fault('BLOCKS_FILE_INVALID', { sentence: `Snappy frames ${what}.` })
}
