/**
 * Stored call trees: the bytes that the engine recorded for each transaction of a block. docs/internals/wire/chain.md
 * is the specification.
 */

import { ByteReader } from '#evm/byte-reader.ts'
import { ByteWriter } from '#evm/byte-writer.ts'
import { type CallFrame, decodeFrames, frameParties } from '#evm/call-tree.ts'
import type { Outcome } from '#evm/outcome.ts'
import type { TracedAddress, TracedParties } from '#store/store.ts'
import { type Address, addressToBytes } from '#types/address.ts'

type RecordedCalls = Pick<Outcome, 'frames' | 'areFramesCut'>

export interface StoredCallTree {
  readonly frames: readonly CallFrame[]
  /** True if frames are missing because the transaction exceeded the engine's limit in bytes. */
  readonly isCut: boolean
}

const CUT = 1

/** Encodes one call tree per transaction; returns undefined if the engine recorded no frames. */
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

/** Returns the undecoded frames, one entry per transaction. */
export function storedFrames(stored: Uint8Array): RecordedCalls[] {
  const reader = new ByteReader(stored)
  const calls: RecordedCalls[] = []
  while (!reader.isAtEnd) calls.push({ areFramesCut: reader.uint8() === CUT, frames: reader.sizedBytes() })
  return calls
}

/** Decodes the call trees at the given positions only. */
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

/**
 * Callers and callees for the call tree index; undefined if the engine recorded no frames. A creation has no callee,
 * and a selfdestruct is not a call.
 */
export function tracedParties(outcomes: readonly Pick<Outcome, 'frames'>[]): TracedParties | undefined {
  const callers = new Map<Address, number[]>()
  const callees = new Map<Address, number[]>()
  for (const [position, { frames }] of outcomes.entries()) {
    if (frames === undefined) return undefined
    for (const { type, from, to } of frameParties(frames)) {
      if (type === 'selfdestruct') continue
      addTo(callers, from, position)
      if (type !== 'create' && type !== 'create2') addTo(callees, to, position)
    }
  }
  return { callers: [...callers].map(toTraced), callees: [...callees].map(toTraced) }
}

function addTo(parties: Map<Address, number[]>, address: Address, position: number): void {
  const positions = parties.get(address)
  if (positions === undefined) parties.set(address, [position])
  else if (positions.at(-1) !== position) positions.push(position)
}

function toTraced([address, transactions]: [Address, number[]]): TracedAddress {
  return { address: addressToBytes(address), transactions }
}
