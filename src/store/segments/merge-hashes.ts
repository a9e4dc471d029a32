/**
 * Merges the hashes of segments into indexes. Four segments without an index get one, and four neighbouring indexes of
 * the same size become one, so a chain of any length has few of them, and each hash is written a few times.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { namesInDirectory } from '#platform/files/files.ts'
import { noteDamage } from './damage-notes.ts'
import { openHashIndex } from './hash-indexes.ts'
import {
  HASHES_SUFFIX,
  type HashIndexTarget,
  type HashPlace,
  hashIndexName,
  writeHashIndex,
} from './indexed-hashes.ts'
import { openSegment, segmentPath } from './past-blocks.ts'
import { writeFileInParts } from './segment-file.ts'
import { isDamage } from './segment-layout.ts'

const FAN = 4
export interface NextMergeOptions extends MergeOptions {
  /** The end of the moved blocks. */
  readonly end: number
  /** Blocks in the indexes that are in use. */
  readonly recorded: readonly number[]
  readonly record: (sizes: readonly number[]) => Promise<void>
}

/**
 * Merges the hashes of segments or smaller indexes into one index. Returns false if no merge is due. Damaged indexes are
 * made again from the segments; throws SEGMENT_DAMAGED if a segment is damaged.
 */
export async function mergeNextHashes(options: NextMergeOptions): Promise<boolean> {
  const { folder, end, segmentBlocks, recorded, record } = options
  const sizes = usableIndexes(folder, recorded)
  if (sizes.length < recorded.length) await record(sizes)
  removeOtherIndexes(folder, sizes)
  const merge = nextMerge(sizes, end, segmentBlocks)
  if (merge === undefined) return false
  const kept = sizes.slice(0, sizes.length - merge.replaced)
  try {
    if (await mergeHashes(merge, options)) await record([...kept, merge.blocks])
  } catch (error) {
    if (!isDamage(error) || merge.replaced === 0) throw error
    await record(kept)
  }
  return true
}

/** An index to write: it replaces the last `replaced` ones. */
export interface HashMerge {
  readonly first: number
  readonly blocks: number
  readonly replaced: number
}

/**
 * The next merge, or undefined if none is due. `sizes` are the blocks of the indexes, which begin with block 0 and follow
 * each other; `end` is the end of the moved blocks.
 */
export function nextMerge(
  sizes: readonly number[],
  end: number,
  segmentBlocks: number,
): HashMerge | undefined {
  const covered = sizes.reduce((sum, blocks) => sum + blocks, 0)
  const last = sizes.slice(-FAN)
  if (last.length === FAN && last.every((blocks) => blocks === last[0]))
    return { first: covered - FAN * last[0]!, blocks: FAN * last[0]!, replaced: FAN }
  const blocks = FAN * segmentBlocks
  return covered + blocks <= end ? { first: covered, blocks, replaced: 0 } : undefined
}

interface Input {
  readonly places: Iterator<HashPlace>
  readonly expected: number
  close(): void
}

export interface MergeOptions extends Pick<HashIndexTarget, 'pause' | 'isStopped'> {
  readonly folder: string
  readonly genesisHash: Uint8Array
  readonly segmentBlocks: number
}

/** Returns false if it was stopped. Throws SEGMENT_DAMAGED if an input is damaged or not in the folder. */
export async function mergeHashes(
  { first, blocks, replaced }: HashMerge,
  { folder, genesisHash, segmentBlocks, pause, isStopped }: MergeOptions,
): Promise<boolean> {
  const inputs: Input[] = []
  try {
    const step = replaced === 0 ? segmentBlocks : blocks / replaced
    for (let at = first; at < first + blocks; at += step) {
      if (replaced === 0) inputs.push(...segmentInputs(folder, at))
      else inputs.push(indexInput(join(folder, hashIndexName(at, step))))
    }
    const expected = inputs.reduce((sum, input) => sum + input.expected, 0)
    const range = { first, blocks, genesisHash }
    return await writeFileInParts(folder, hashIndexName(first, blocks), (append) =>
      writeHashIndex({ append, pause, isStopped }, range, merged(inputs), expected),
    )
  } finally {
    for (const input of inputs) input.close()
  }
}

/** The recorded indexes before the first that is missing or damaged. A restored backup has none. */
export function usableIndexes(folder: string, sizes: readonly number[]): readonly number[] {
  let first = 0
  for (const [index, blocks] of sizes.entries()) {
    try {
      openHashIndex(join(folder, hashIndexName(first, blocks))).close()
    } catch (error) {
      if (!isDamage(error)) throw error
      return sizes.slice(0, index)
    }
    first += blocks
  }
  return sizes
}

/** Removes indexes that were replaced by larger ones. */
export function removeOtherIndexes(folder: string, sizes: readonly number[]): void {
  const kept = new Set<string>()
  let first = 0
  for (const blocks of sizes) {
    kept.add(hashIndexName(first, blocks))
    first += blocks
  }
  for (const name of namesInDirectory(folder)) {
    if (name.endsWith(HASHES_SUFFIX) && !kept.has(name)) rmSync(join(folder, name))
  }
}

function segmentInputs(folder: string, first: number): Input[] {
  const noting = <Value>(read: () => Value): Value => {
    try {
      return read()
    } catch (error) {
      if (isDamage(error)) noteDamage(folder, first)
      throw error
    }
  }
  const segment = noting(() => openSegment(segmentPath(folder, first)))
  const inputOf = (index: 'blockHash' | 'transaction', close: () => void): Input => {
    const { places, expected } = segment.hashPlaces(index)
    return { places: { next: () => noting(() => places.next()) }, expected, close }
  }
  return [inputOf('blockHash', () => segment.close()), inputOf('transaction', () => {})]
}

function indexInput(path: string): Input {
  const index = openHashIndex(path)
  return { places: index.places(), expected: index.expected, close: () => index.close() }
}

/** The places of all inputs with ascending keys. */
function* merged(inputs: readonly Input[]): Generator<HashPlace, void, undefined> {
  const heads = inputs.map(({ places }) => places.next())
  for (;;) {
    let lowest = -1
    let lowestPlace: HashPlace | undefined
    for (let index = 0; index < heads.length; index++) {
      const head = heads[index]!
      if (head.done || (lowestPlace !== undefined && head.value.key >= lowestPlace.key)) continue
      lowest = index
      lowestPlace = head.value
    }
    if (lowestPlace === undefined) return
    yield lowestPlace
    heads[lowest] = inputs[lowest]!.places.next()
  }
}
