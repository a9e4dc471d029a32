/** Inspects the segments of a database, also next to a running node: it reads complete files and no table. */

import { statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { inSlices, type Sliced } from '#platform/next-turn.ts'
import { SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { equalBytes } from '#types/bytes.ts'
import { openSegment, segmentPath, segmentPaths } from './past-blocks.ts'
import type { Segment } from './segment.ts'
import { damagedSegment, isDamage, segmentName } from './segment-layout.ts'

export interface InspectedSegment {
  readonly name: string
  readonly bytes: number
  readonly first: number
  /** The last block; undefined if the file does not say it. */
  readonly last: number | undefined
  readonly hasOnlyHeaders: boolean
  /** Whether the contents of its blocks are in the archive. */
  readonly isOutline: boolean
  /** Describes the damage and its remedy; undefined without damage. */
  readonly problem: string | undefined
}

/** Hashes of the blocks next to a segment; undefined if unknown. */
export interface SegmentLinks {
  /** The hash of the block before its first one. */
  readonly before: Uint8Array | undefined
  /** The parent hash of the block after its last one, which is the hash of the last one. */
  readonly last: Uint8Array | undefined
}

/** The end of the segments, from the database; it is known only while the node is stopped. */
export interface SegmentsEnd {
  readonly end: number
  readonly segmentBlocks: number
  /** The hash of the last block in segments. */
  readonly lastHash: Uint8Array
}

export interface Verification {
  readonly signal: AbortSignal
  readonly onBytes: (doneBytes: number, totalBytes: number) => void
  /** Verifies the blocks of a segment whose checksums are correct; throws SEGMENT_DAMAGED. */
  readonly blocks: (segment: Segment, path: string, links: SegmentLinks) => Sliced<void>
}

export interface Inspection {
  readonly genesisHash: Uint8Array
  readonly end: SegmentsEnd | undefined
  /** Without it, only the directory of each segment is read. */
  readonly verification: Verification | undefined
}

/** Yields the segments in ascending order, and missing ones as damaged. */
export async function* inspectSegments(
  database: string,
  inspection: Inspection,
): AsyncGenerator<InspectedSegment, void, undefined> {
  const { end, verification } = inspection
  const paths = segmentPaths(database).map((name) => join(database, name))
  const totalBytes = paths.reduce((sum, path) => sum + sizeOf(path), 0)
  let doneBytes = 0
  let next = 0
  let count = end?.segmentBlocks
  let before: Uint8Array | undefined
  for (const path of paths) {
    if (verification?.signal.aborted) return
    const first = Number.parseInt(basename(path), 10)
    if (next < first) before = undefined
    const { segment, lastHash } = await inspectRange(path, first, inspection, before)
    if (segment.last !== undefined) count = segment.last - first + 1
    for (; count !== undefined && next < first; next += count) yield missingSegment(database, next, count)
    next = first + (count ?? 0)
    before = lastHash
    yield segment
    doneBytes += segment.bytes
    verification?.onBytes(doneBytes, totalBytes)
  }
  for (; end !== undefined && next < end.end; next += end.segmentBlocks)
    yield missingSegment(database, next, end.segmentBlocks)
}

function missingSegment(database: string, first: number, count: number): InspectedSegment {
  const path = join(database, SEGMENT_FOLDER, segmentName(first))
  const { message: problem } = damagedSegment(path)('the file is missing')
  return {
    name: segmentName(first),
    bytes: 0,
    first,
    last: first + count - 1,
    hasOnlyHeaders: false,
    isOutline: false,
    problem,
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The node may delete a segment meanwhile because the archive has it; then its outline is inspected. */
async function inspectRange(
  path: string,
  first: number,
  inspection: Inspection,
  before: Uint8Array | undefined,
): ReturnType<typeof inspectSegment> {
  const inspected = await inspectSegment(path, first, inspection, before)
  const now = segmentPath(dirname(path), first)
  const isReplaced = inspected.segment.problem !== undefined && now !== path
  return isReplaced ? await inspectSegment(now, first, inspection, before) : inspected
}

async function inspectSegment(
  path: string,
  first: number,
  { genesisHash, end, verification }: Inspection,
  before: Uint8Array | undefined,
): Promise<{ segment: InspectedSegment; lastHash: Uint8Array | undefined }> {
  let last: number | undefined
  let hasOnlyHeaders = false
  let isOutline = false
  let problem: string | undefined
  let lastHash: Uint8Array | undefined
  try {
    const segment = openSegment(path)
    try {
      last = first + segment.count - 1
      hasOnlyHeaders = segment.hasOnlyHeaders
      isOutline = segment.object !== undefined
      requireRange(segment, path, first, genesisHash)
      const links = { before, last: last + 1 === end?.end ? end.lastHash : undefined }
      if (verification !== undefined) {
        await inSlices(verifyCompletely(segment, path, links, verification))
        lastHash = segment.hash(last)
      }
    } finally {
      segment.close()
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    problem = error.message
  }
  const bytes = sizeOf(path)
  const name = basename(path)
  return { segment: { name, bytes, first, last, hasOnlyHeaders, isOutline, problem }, lastHash }
}

/** Throws SEGMENT_DAMAGED if the segment belongs to another chain or range. */
export function requireRange(segment: Segment, path: string, first: number, genesisHash: Uint8Array): void {
  if (segment.first !== first || !equalBytes(segment.genesisHash, genesisHash))
    throw damagedSegment(path)('it has blocks of another chain or range')
}

/** Checks checksums, blocks, indexes and links. */
export function* verifyCompletely(
  segment: Segment,
  path: string,
  links: SegmentLinks,
  { blocks }: Pick<Verification, 'blocks'>,
): Sliced<void> {
  for (const _ of segment.verify()) yield
  // The blocks of an outline are in the archive.
  if (segment.object === undefined) yield* blocks(segment, path, links)
}
