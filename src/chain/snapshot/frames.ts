/**
 * The file of a state: a name, then frames, each with its own checksum (docs/wire/snapshot.md). It comes from outside: every
 * length is compared with a limit before anything is read or unpacked, and a frame is all that is in memory.
 */
import { crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { chainFault } from '#chain/faults.ts'
import type { Fault } from '#types/fault.ts'

export const FRAME = { head: 1, headers: 2, body: 3, receipts: 4, state: 5, end: 6 } as const
export type FrameKind = (typeof FRAME)[keyof typeof FRAME]

/** A file that can be read anywhere. */
export interface SnapshotSource {
  readonly name: string
  readonly bytes: number
  /** So many bytes from a place on, or fewer where the file ends. */
  read(offset: number, length: number): Uint8Array
}

export interface SnapshotFrame {
  readonly kind: FrameKind
  readonly content: Uint8Array
  /** By which the frame is known again. */
  readonly check: number
  /** Where the next begins. */
  readonly end: number
}

export const SNAPSHOT_NAME: Uint8Array = Buffer.from('CAIRN STATE 1\n', 'latin1')
/** kind 1, length 4, length packed 4, crc 4 */
const HEAD_BYTES = 13
/** Of what a frame holds. A block has at most 16 MiB, and its receipts are smaller than four times that. */
export const FRAME_MAX_BYTES = 64 * 1024 * 1024
/** What does not become smaller becomes a little larger. */
const PACKED_MAX_BYTES = FRAME_MAX_BYTES + FRAME_MAX_BYTES / 64

const KINDS: ReadonlySet<number> = new Set(Object.values(FRAME))

export function encodeFrame(kind: FrameKind, content: Uint8Array): Uint8Array {
  const packed = zstdCompressSync(content)
  const frame = Buffer.alloc(HEAD_BYTES + packed.length)
  frame[0] = kind
  frame.writeUInt32BE(content.length, 1)
  frame.writeUInt32BE(packed.length, 5)
  frame.set(packed, HEAD_BYTES)
  frame.writeUInt32BE(checkOf(frame), 9)
  return frame
}

/** Where the first frame begins. */
export function readName(source: SnapshotSource): number {
  const name = source.read(0, SNAPSHOT_NAME.length)
  if (Buffer.compare(name, SNAPSHOT_NAME) === 0) return SNAPSHOT_NAME.length
  const sentence = `${source.name} is no file of a state, or one of another version of Cairn: it does not begin as one.`
  throw chainFault('SNAPSHOT_INVALID', { sentence })
}

export function readFrame(source: SnapshotSource, offset: number): SnapshotFrame {
  const head = Buffer.from(source.read(offset, HEAD_BYTES))
  if (head.length < HEAD_BYTES) throw cutOff(source)
  const kind = head[0]!
  const length = head.readUInt32BE(1)
  const packedLength = head.readUInt32BE(5)
  if (!KINDS.has(kind) || length > FRAME_MAX_BYTES || packedLength > PACKED_MAX_BYTES)
    throw damaged(source, offset)
  const end = offset + HEAD_BYTES + packedLength
  if (end > source.bytes) throw cutOff(source)
  const packed = source.read(offset + HEAD_BYTES, packedLength)
  if (packed.length < packedLength) throw cutOff(source)
  const check = head.readUInt32BE(9)
  if (checkOf(Buffer.concat([head, packed])) !== check) throw damaged(source, offset)
  return { kind: kind as FrameKind, content: unpack(packed, length, source, offset), check, end }
}

/** Of everything but itself. */
function checkOf(frame: Uint8Array): number {
  return crc32(frame.subarray(HEAD_BYTES), crc32(frame.subarray(0, 9)))
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
  const sentence = `${name} is damaged at byte ${offset}: what is there is not what was written. Copy it again from where it was made.`
  return chainFault('SNAPSHOT_INVALID', { sentence })
}

function cutOff({ name, bytes }: SnapshotSource): Fault {
  const sentence = `${name} is cut off: it ends after ${bytes} bytes, within the state. Copy it again from where it was made.`
  return chainFault('SNAPSHOT_INVALID', { sentence })
}
