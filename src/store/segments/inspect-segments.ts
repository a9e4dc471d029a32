/** Inspects the segments of a database, also next to a running node: it reads complete files and no table. */

import { statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { inSlices } from '#platform/next-turn.ts'
import { SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { openSegment, segmentName, segmentPaths, verifySegment } from './past-blocks.ts'
import { damagedSegment } from './segment-layout.ts'

export interface InspectedSegment {
  readonly name: string
  readonly bytes: number
  readonly first: number
  /** The last block; undefined if the file does not say it. */
  readonly last: number | undefined
  readonly hasOnlyHeaders: boolean
  /** Describes the damage and its remedy; undefined without damage. */
  readonly problem: string | undefined
}

export interface Verification {
  readonly signal: AbortSignal
  readonly onBytes: (doneBytes: number, totalBytes: number) => void
}

/**
 * Yields the segments in ascending order, and a missing one between two others as damaged. With `verification` it
 * compares every checksum.
 */
export async function* inspectSegments(
  database: string,
  genesisHash: Uint8Array,
  verification?: Verification,
): AsyncGenerator<InspectedSegment, void, undefined> {
  const paths = segmentPaths(database).map((name) => join(database, name))
  const totalBytes = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  let doneBytes = 0
  let next = 0
  let count: number | undefined
  for (const path of paths) {
    if (verification?.signal.aborted) return
    const first = Number.parseInt(basename(path), 10)
    for (; count !== undefined && next < first; next += count) yield missingSegment(database, next, count)
    const segment = await inspectSegment(path, first, genesisHash, verification !== undefined)
    if (segment.last !== undefined) count = segment.last - first + 1
    next = first + (count ?? 0)
    yield segment
    doneBytes += segment.bytes
    verification?.onBytes(doneBytes, totalBytes)
  }
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
    problem,
  }
}

async function inspectSegment(
  path: string,
  first: number,
  genesisHash: Uint8Array,
  isVerified: boolean,
): Promise<InspectedSegment> {
  let last: number | undefined
  let hasOnlyHeaders = false
  let problem: string | undefined
  try {
    const segment = openSegment(path)
    segment.close()
    last = first + segment.count - 1
    hasOnlyHeaders = segment.hasOnlyHeaders
    if (segment.first !== first || !equalBytes(segment.genesisHash, genesisHash))
      throw damagedSegment(path)('it has blocks of another chain or range')
    if (isVerified) await inSlices(verifySegment(path))
  } catch (error) {
    if (!(error instanceof Fault && error.kind === 'SEGMENT_DAMAGED')) throw error
    problem = error.message
  }
  return { name: basename(path), bytes: statSync(path).size, first, last, hasOnlyHeaders, problem }
}
