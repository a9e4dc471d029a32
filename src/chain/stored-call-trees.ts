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

/** The calls of one transaction, without decoding those of the others; undefined: there are none so many. */
export function callTreeAt(stored: Uint8Array, index: number): StoredCallTree | undefined {
  const reader = new ByteReader(stored)
  for (let before = 0; before < index && !reader.isAtEnd; before++) {
    reader.uint8()
    reader.sizedBytes()
  }
  return reader.isAtEnd ? undefined : readTree(reader)
}

function readTree(reader: ByteReader): StoredCallTree {
  const isCut = reader.uint8() === CUT
  return { isCut, frames: decodeFrames(reader.sizedBytes()) }
}
