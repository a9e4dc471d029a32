/**
 * The calls of a block's transactions as they are stored: the bytes that the engine recorded.
 * docs/wire/chain.md is the specification.
 */
import { ByteReader } from '#evm/byte-reader.ts'
import { ByteWriter } from '#evm/byte-writer.ts'
import { type CallFrame, decodeFrames } from '#evm/call-tree.ts'
import type { Outcome } from '#evm/outcome.ts'

type RecordedCalls = Pick<Outcome, 'frames' | 'areFramesCut'>

export interface StoredCallTree {
  readonly frames: readonly CallFrame[]
  /** Frames are missing: there were more than the engine's limit in bytes. */
  readonly isCut: boolean
}

const CUT = 1

/** From what the engine says, one per transaction; undefined: it recorded no frames. */
export function encodeStoredCallTrees(outcomes: readonly RecordedCalls[]): Uint8Array | undefined {
  const writer = new ByteWriter()
  for (const { frames, areFramesCut } of outcomes) {
    if (frames === undefined) return undefined
    writer.uint8(areFramesCut ? CUT : 0)
    writer.sizedBytes(frames)
  }
  return writer.finish()
}

export function decodeStoredCallTrees(stored: Uint8Array): StoredCallTree[] {
  const reader = new ByteReader(stored)
  const trees: StoredCallTree[] = []
  while (!reader.isAtEnd) trees.push(readTree(reader))
  return trees
}

/** The calls as the engine recorded them, one per transaction. */
export function storedFrames(stored: Uint8Array): RecordedCalls[] {
  const reader = new ByteReader(stored)
  const calls: RecordedCalls[] = []
  while (!reader.isAtEnd) calls.push({ areFramesCut: reader.uint8() === CUT, frames: reader.sizedBytes() })
  return calls
}

/** The calls of some transactions by their places, without decoding those of the others. */
export function callTreesAt(stored: Uint8Array, positions: readonly number[]): Map<number, StoredCallTree> {
  const wanted = new Set(positions)
  const reader = new ByteReader(stored)
  const trees = new Map<number, StoredCallTree>()
  for (let position = 0; !reader.isAtEnd; position++) {
    if (wanted.has(position)) {
      trees.set(position, readTree(reader))
      continue
    }
    reader.uint8()
    reader.sizedBytes()
  }
  return trees
}

function readTree(reader: ByteReader): StoredCallTree {
  const isCut = reader.uint8() === CUT
  return { isCut, frames: decodeFrames(reader.sizedBytes()) }
}
