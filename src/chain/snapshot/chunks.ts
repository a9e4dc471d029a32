/**
 * A snapshot file: a name, then chunks, each with its own checksum (docs/internals/wire/snapshot.md). The file is
 * untrusted: every length is compared with a limit before anything is read or decompressed, and memory holds one
 * chunk at a time.
 */
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { chainFault } from '#chain/faults.ts'
import type { Fault } from '#types/fault.ts'

export const CHUNK = { head: 1, headers: 2, body: 3, receipts: 4, state: 5, end: 6 } as const
export type ChunkKind = (typeof CHUNK)[keyof typeof CHUNK]

/** A file with random access. */
export interface SnapshotSource {
  readonly name: string
  readonly bytes: number
  /** Reads `length` bytes from `offset`, or fewer at the end of the file. */
  read(offset: number, length: number): Uint8Array
}

export interface SnapshotChunk {
  readonly kind: ChunkKind
  readonly content: Uint8Array
  /** Checksum that identifies the chunk. */
  readonly check: number
  /** Offset of the next chunk. */
  readonly end: number
}

export const SNAPSHOT_NAME: Uint8Array = Buffer.from('CAIRN STATE 1\n', 'latin1')
/** kind 1, length 4, length packed 4, crc 4 */
const HEAD_BYTES = 13
/** Maximum content of a chunk. A block has at most 16 MiB, and its receipts are smaller than four times that. */
export const CHUNK_MAX_BYTES = 64 * 1024 * 1024
/** Incompressible content grows a little. */
const PACKED_MAX_BYTES = CHUNK_MAX_BYTES + CHUNK_MAX_BYTES / 64

const KINDS: ReadonlySet<number> = new Set(Object.values(CHUNK))

export function encodeChunk(kind: ChunkKind, content: Uint8Array): Uint8Array {
  const packed = zstdCompressSync(content)
  const chunk = Buffer.alloc(HEAD_BYTES + packed.length)
  chunk[0] = kind
  chunk.writeUInt32BE(content.length, 1)
  chunk.writeUInt32BE(packed.length, 5)
  chunk.set(packed, HEAD_BYTES)
  chunk.writeUInt32BE(checkOf(chunk), 9)
  return chunk
}

/** Returns the offset of the first chunk. */
export function readName(source: SnapshotSource): number {
  const name = source.read(0, SNAPSHOT_NAME.length)
  if (Buffer.compare(name, SNAPSHOT_NAME) === 0) return SNAPSHOT_NAME.length
  const sentence = `${source.name} is not a state file, or another version of Cairn wrote it. Name a file that \`cairn state export\` wrote.`
  throw chainFault('SNAPSHOT_INVALID', { sentence })
}

export function readChunk(source: SnapshotSource, offset: number): SnapshotChunk {
  const head = Buffer.from(source.read(offset, HEAD_BYTES))
  if (head.length < HEAD_BYTES) throw cutOff(source)
  const kind = head[0]!
  const length = head.readUInt32BE(1)
  const packedLength = head.readUInt32BE(5)
  if (!KINDS.has(kind) || length > CHUNK_MAX_BYTES || packedLength > PACKED_MAX_BYTES)
    throw damaged(source, offset)
  const end = offset + HEAD_BYTES + packedLength
  if (end > source.bytes) throw cutOff(source)
  const packed = source.read(offset + HEAD_BYTES, packedLength)
  if (packed.length < packedLength) throw cutOff(source)
  const check = head.readUInt32BE(9)
  if (checkOf(Buffer.concat([head, packed])) !== check) throw damaged(source, offset)
  return { kind: kind as ChunkKind, content: unpack(packed, length, source, offset), check, end }
}

/** The checksum of everything except itself. */
function checkOf(chunk: Uint8Array): number {
  return crc32(chunk.subarray(HEAD_BYTES), crc32(chunk.subarray(0, 9)))
}

function unpack(packed: Uint8Array, length: number, source: SnapshotSource, offset: number): Uint8Array {
  let content: Uint8Array
  try {
    content = zstdDecompressSync(packed, { maxOutputLength: Math.max(length, 1) })
  } catch {
    throw damaged(source, offset)
  }
  if (content.length !== length) throw damaged(source, offset)
  return content
}

export function damaged({ name }: SnapshotSource, offset: number): Fault {
  const sentence = `${name} is damaged at byte ${offset}: the checksum does not match. Copy the file again from its origin.`
  return chainFault('SNAPSHOT_INVALID', { sentence })
}

function cutOff({ name, bytes }: SnapshotSource): Fault {
  const sentence = `${name} is cut off: it ends after ${bytes} bytes, within the state. Copy the file again from its origin.`
  return chainFault('SNAPSHOT_INVALID', { sentence })
}
