/** The segments of old blocks, for commands. */

import { join } from 'node:path'
import { genesisHashOf } from '#chain/write/commit-genesis.ts'
import { verifyBlocks } from '#chain/write/verify-segment.ts'
import { usageFault } from '#config/faults.ts'
import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { openStoreReader } from '#store/open-store.ts'
import { noteDamage } from '#store/segments/damage-notes.ts'
import {
  type InspectedSegment,
  inspectSegments,
  type SegmentsEnd,
  type Verification,
} from '#store/segments/inspect-segments.ts'
import { assert } from '#types/assert.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes } from '#types/hash.ts'
import { type Ledger, openLedger, requireChainAt } from './ledger.ts'

export type HistoryRun = Pick<Verification, 'signal' | 'onBytes'>

/** The segments that the database requires. */
export interface HistoryMarks {
  /** Undefined if no block was moved. */
  readonly end: SegmentsEnd | undefined
  /** Blocks before this one, except block 0, have only headers. */
  readonly firstBlock: number
}

/** The node may run; it repairs segments that a run found to be damaged. Without a run only their directories are read. */
export async function* inspectHistory(
  ledger: Ledger,
  run?: HistoryRun,
): AsyncGenerator<InspectedSegment, void, undefined> {
  const { path } = ledger.writer
  requireChainAt(path)
  const marks = await readHistoryMarks(ledger)
  const verification = run && { ...run, blocks: blockVerifier(ledger) }
  const inspection = { genesisHash: genesisOf(ledger), end: marks?.end, verification }
  for await (const segment of inspectSegments(path, inspection)) {
    if (run !== undefined && segment.problem !== undefined)
      noteDamage(join(path, SEGMENT_FOLDER), segment.first)
    yield segment
  }
}

export function blockVerifier({ genesis }: Ledger): Verification['blocks'] {
  const keccak = loadFastKeccak()
  const hashing = { keccak, hashBlock: blockHashOf(genesis.config.consensus, keccak) }
  return (segment, path, links) => verifyBlocks(segment, path, links, hashing)
}

export function genesisOf({ genesis }: Ledger): Uint8Array {
  return hashToBytes(genesisHashOf(genesis, loadFastKeccak()))
}

/** Returns undefined while a node has the database open. */
export async function readHistoryMarks({ writer }: Ledger): Promise<HistoryMarks | undefined> {
  const reader = await openStoreReader(writer).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'STORE_IN_USE') return undefined
    throw error
  })
  if (reader === undefined) return undefined
  try {
    const firstBlock = reader.firstBlock()
    const mark = reader.past.mark()
    if (mark === undefined || mark.end === 0) return { end: undefined, firstBlock }
    const { end, segmentBlocks } = mark
    const hash = reader.canonicalHash(end)
    const header = hash && reader.read('header', end, hash)
    assert(header !== undefined, 'The block after the segments is in the database.')
    const lastHash = hashToBytes(decodeHeader(header).parentHash)
    return { end: { end, segmentBlocks, lastHash }, firstBlock }
  } finally {
    await reader.close()
  }
}

export interface DropRun {
  readonly log: Log
  /** Complete blocks to keep, including the head. */
  readonly keep: number
  readonly signal: AbortSignal
  readonly onSegment: (doneBlocks: number, ofBlocks: number) => void
}

/** Reduces old segments to headers and returns the first block that stays complete. */
export async function dropHistory(
  ledger: Ledger,
  { log, keep, signal, onSegment }: DropRun,
): Promise<number> {
  const store = await openLedger(ledger, log)
  try {
    const head = store.head()
    if (head === undefined) throw usageFault('There is no chain yet: the database is empty.')
    return await store.dropMoved(Math.max(0, head.number + 1 - keep), (done, of) => {
      onSegment(done, of)
      return !signal.aborted
    })
  } finally {
    await store.close()
  }
}
