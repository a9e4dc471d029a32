/**
 * The blocks that left the database: one segment for each range, in a folder of the database directory. Readers ask
 * here for blocks that the database does not have. The mark of moved blocks is durable before their entries are
 * deleted, so a reader finds every block in at least one of the two.
 */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type KvReader, SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { META, type MovedMark } from '#store/meta.ts'
import type { BlockTable, TracedTransactions, TransactionPlace } from '#store/store.ts'
import { equalBytes } from '#types/bytes.ts'
import { ChunkCache } from './chunk-cache.ts'
import { noteDamage } from './damage-notes.ts'
import { HashIndexes } from './hash-indexes.ts'
import { BLOCK_ITSELF, type HashPlace } from './indexed-hashes.ts'
import { openSource } from './open-source.ts'
import { type ArchivedContents, Segment } from './segment.ts'
import {
  damagedSegment,
  isDamage,
  MAX_DICTIONARY_BYTES,
  numberInName,
  segmentName,
} from './segment-layout.ts'

/** Blocks per segment. The size of a database never changes. */
export const SEGMENT_BLOCKS = 8_192
/** Per thread. Each has a file descriptor, and 28 bytes in memory for each of its chunks. */
const OPEN_SEGMENTS_MAX = 128
/** Per thread; a scan over blocks decompresses each chunk once. */
const CACHE_BYTES = 8 * 1024 * 1024
/** Room for a dictionary and a chunk: a cache keeps no value above a quarter of its size. */
const SCAN_CACHE_BYTES = 4 * MAX_DICTIONARY_BYTES

/** An outline is a segment without contents, which are in the archive. */
export function outlineName(first: number): string {
  return `${numberInName(first)}.outline`
}

const SEGMENT_NAME = /^(\d{12})\.(segment|outline)$/

/** The segment counts if there are both. */
export function segmentPath(folder: string, first: number): string {
  const complete = join(folder, segmentName(first))
  const outline = join(folder, outlineName(first))
  return existsSync(complete) || !existsSync(outline) ? complete : outline
}

/** First blocks of the segments and outlines in a folder. */
export interface SegmentNames {
  readonly segments: ReadonlySet<number>
  readonly outlines: ReadonlySet<number>
}

export function namesOfSegments(folder: string): SegmentNames {
  const names = { segments: new Set<number>(), outlines: new Set<number>() }
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    const [, first, kind] = SEGMENT_NAME.exec(name) ?? []
    if (first !== undefined) names[kind === 'segment' ? 'segments' : 'outlines'].add(Number(first))
  }
  return names
}

/** Paths of the segments within a database directory, ascending; an outline if the segment is only in the archive. */
export function segmentPaths(database: string): string[] {
  const { segments, outlines } = namesOfSegments(join(database, SEGMENT_FOLDER))
  const firsts = [...segments.union(outlines)].sort((a, b) => a - b)
  const nameOf = (first: number) => (segments.has(first) ? segmentName(first) : outlineName(first))
  return firsts.map((first) => `${SEGMENT_FOLDER}/${nameOf(first)}`)
}

/** Reads a complete segment and throws SEGMENT_DAMAGED at the first changed chunk. */
export function* verifySegment(path: string): Generator<void, void, undefined> {
  const segment = openSegment(path)
  try {
    for (const _ of segment.verify()) yield
  } finally {
    segment.close()
  }
}

/** Opens a segment outside a running node, with a small cache. */
export function openSegment(path: string): Segment {
  const source = openSource(path)
  try {
    return new Segment(source, new ChunkCache(SCAN_CACHE_BYTES))
  } catch (error) {
    source.close()
    throw error
  }
}

interface OpenSegment {
  readonly segment: Segment
  readonly isOutline: boolean
}

const NO_NAMES: SegmentNames = { segments: new Set(), outlines: new Set() }

export class PastBlocks {
  readonly #kv: KvReader
  readonly #folder: string | undefined
  readonly #archive: ArchivedContents | undefined
  readonly #cache = new ChunkCache(CACHE_BYTES)
  readonly #hashes: HashIndexes | undefined
  /** By first block; the one used last is at the end. */
  readonly #open = new Map<number, OpenSegment>()
  #names = NO_NAMES
  /** The time of the folder when its names were read. */
  #namesAtMs: number | undefined

  /** A database in memory has no folder and moves no blocks. Without `archive`, contents that are in it are a fault. */
  constructor(kv: KvReader, folder: string | undefined, archive?: ArchivedContents) {
    this.#kv = kv
    this.#folder = folder
    if (folder !== undefined) this.#hashes = new HashIndexes(kv, folder)
    this.#archive = archive
  }

  /** Undefined if no block was moved. */
  mark(): MovedMark | undefined {
    return META.moved.read(this.#kv)
  }

  hash(number: number): Uint8Array | undefined {
    return this.#ask(number, (segment) => segment.hash(number))
  }

  read(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined {
    return this.#ask(number, (segment) => segment.read(table, number, hash))
  }

  numberOf(hash: Uint8Array): number | undefined {
    const segmentSays = (segment: Segment): number[] => {
      const number = segment.numberOf(hash)
      return number === undefined ? [] : [number]
    }
    const indexSays = ({ block, position }: HashPlace): number[] => {
      const known = position === BLOCK_ITSELF ? this.hash(block) : undefined
      return known !== undefined && equalBytes(known, hash) ? [block] : []
    }
    for (const number of this.#search(hash, segmentSays, indexSays)) return number
    return undefined
  }

  /** Places whose transaction may have this hash, the newest ones first; the caller compares the hash. */
  transactions(hash: Uint8Array): Iterable<TransactionPlace> {
    const firstBlock = META.firstBlock.read(this.#kv) ?? 0
    return this.#search(
      hash,
      (segment) => segment.transactions(hash),
      // Segments of dropped blocks have no transactions any more, but an index still does.
      ({ block, position }) =>
        position === BLOCK_ITSELF || block < firstBlock ? [] : [{ number: block, index: position }],
    )
  }

  *blocksWithLogs(
    index: 'logAddress' | 'logTopic',
    value: Uint8Array,
    from: number,
    to: number,
  ): Generator<number, void, undefined> {
    for (const segment of this.#between(from, to)) {
      for (const number of segment((each) => each.blocksWithLogs(index, value)))
        if (number >= from && number <= to) yield number
    }
  }

  *tracedTransactions(
    index: 'caller' | 'callee',
    address: Uint8Array,
    from: number,
    to: number,
  ): Generator<TracedTransactions, void, undefined> {
    for (const segment of this.#between(from, to)) {
      for (const traced of segment((each) => each.tracedTransactions(index, address)))
        if (traced.number >= from && traced.number <= to) yield traced
    }
  }

  /** Whether this reader finds the contents of a block in the archive. */
  isArchived(number: number): boolean {
    const { segmentBlocks } = this.#extent()
    return this.#outlines().has(number - (number % segmentBlocks))
  }

  /** Whether this disk has only an outline of the block's segment. */
  isOutline(number: number): boolean {
    const { segmentBlocks } = this.#extent()
    const { segments, outlines } = this.#read()
    const first = number - (number % segmentBlocks)
    return outlines.has(first) && !segments.has(first)
  }

  /** The first block after the last outline without a segment: the oldest local copies are deleted first. */
  firstOnDisk(): number {
    const { segments, outlines } = this.#read()
    const last = Math.max(-1, ...outlines.difference(segments))
    return last === -1 ? 0 : this.endOfRange(last)
  }

  /** The first block after the segment that has, or would have, this block. */
  endOfRange(number: number): number {
    const { segmentBlocks } = this.#extent()
    return number - (number % segmentBlocks) + segmentBlocks
  }

  /** Closes segments that were deleted because the archive has them: an open file keeps its space. */
  refresh(): void {
    this.#read()
  }

  close(): void {
    for (const { segment } of this.#open.values()) segment.close()
    this.#open.clear()
    this.#hashes?.close()
  }

  /** Moved blocks, and beyond them those that a reader finds only in the archive. */
  #extent() {
    const { end, segmentBlocks } = this.mark() ?? { end: 0, segmentBlocks: SEGMENT_BLOCKS }
    return { end, segmentBlocks, outlines: this.#outlines() }
  }

  #outlines(): ReadonlySet<number> {
    return this.#archive === undefined ? NO_NAMES.outlines : this.#read().outlines
  }

  #read(): SegmentNames {
    if (this.#folder === undefined) return NO_NAMES
    const atMs = statSync(this.#folder, { throwIfNoEntry: false })?.mtimeMs
    if (atMs === this.#namesAtMs) return this.#names
    this.#namesAtMs = atMs
    this.#names = namesOfSegments(this.#folder)
    const { segments, outlines } = this.#names
    for (const [first, { segment, isOutline }] of this.#open) {
      const usesSegment = segments.has(first) && !(outlines.has(first) && this.#prefersOutline(first))
      // Without a segment, an open outline stays until a read finds it damaged.
      if (isOutline !== usesSegment) continue
      segment.close()
      this.#open.delete(first)
    }
    return this.#names
  }

  #ask<Value>(number: number, question: (segment: Segment) => Value): Value | undefined {
    const { end, segmentBlocks, outlines } = this.#extent()
    const first = number - (number % segmentBlocks)
    return number < end || outlines.has(first) ? this.#with(first, segmentBlocks, question) : undefined
  }

  /** First blocks of all segments, ascending. */
  #firsts(): { readonly firsts: readonly number[]; readonly segmentBlocks: number } {
    const { end, segmentBlocks, outlines } = this.#extent()
    const firsts = Array.from({ length: end / segmentBlocks }, (_, index) => index * segmentBlocks)
    for (const first of outlines) if (first >= end) firsts.push(first)
    return { firsts, segmentBlocks }
  }

  /**
   * Asks the segments that have no index of their hashes, and then the indexes, the newest ones first. One answer could
   * be in a damaged segment, so an answer in another one is returned first.
   */
  *#search<Value>(
    hash: Uint8Array,
    segmentSays: (segment: Segment) => readonly Value[],
    indexSays: (place: HashPlace) => readonly Value[],
  ): Generator<Value, void, undefined> {
    const { end: movedEnd, segmentBlocks } = this.#extent()
    let damage: unknown
    const unlessDamaged = (ask: () => readonly Value[]): readonly Value[] => {
      try {
        return ask()
      } catch (error) {
        if (!isDamage(error)) throw error
        damage ??= error
        return []
      }
    }
    let end = movedEnd
    const ranges = this.#hashes?.ranges(end) ?? [{ first: 0, blocks: end }]
    for (const range of ranges.toReversed()) {
      const places = this.#hashes?.find(range, hash)
      for (const place of places ?? []) yield* unlessDamaged(() => indexSays(place))
      for (let at = end; places === undefined && at > range.first; at -= segmentBlocks)
        yield* unlessDamaged(() => this.#with(at - segmentBlocks, segmentBlocks, segmentSays))
      end = range.first
    }
    for (const first of this.#takenOutlines()) {
      yield* unlessDamaged(() => this.#with(first, segmentBlocks, segmentSays))
    }
    if (damage !== undefined) throw damage
  }

  /** Outlines from the archive, the newest first. Indexes of hashes may be older than they are. */
  #takenOutlines(): number[] {
    return [...this.#outlines()].filter((first) => !this.#isComplete(first)).sort((a, b) => b - a)
  }

  *#between(from: number, to: number) {
    const { firsts, segmentBlocks } = this.#firsts()
    for (const first of firsts) {
      if (first + segmentBlocks <= from || first > to) continue
      yield <Value>(question: (segment: Segment) => Value): Value =>
        this.#with(first, segmentBlocks, question)
    }
  }

  /** A damaged segment is noted and closed, so the next read opens the file that replaced it. */
  #with<Value>(first: number, segmentBlocks: number, question: (segment: Segment) => Value): Value {
    let open = this.#open.get(first)
    this.#open.delete(first)
    try {
      open ??= this.#openSegment(first, segmentBlocks)
      this.#open.set(first, open)
      const answer = question(open.segment)
      if (open.segment.hasDamagedCopy) this.#noteAndClose(first)
      return answer
    } catch (error) {
      if (isDamage(error)) this.#noteAndClose(first)
      throw error
    }
  }

  #noteAndClose(first: number): void {
    this.#open.get(first)?.segment.close()
    this.#open.delete(first)
    noteDamage(this.#folder ?? '', first)
  }

  #openSegment(first: number, segmentBlocks: number): OpenSegment {
    if (this.#open.size >= OPEN_SEGMENTS_MAX) {
      const [oldest, { segment }] = this.#open.entries().next().value!
      this.#open.delete(oldest)
      segment.close()
    }
    const folder = this.#folder ?? ''
    const outline = join(folder, outlineName(first))
    const usesOutline = this.#prefersOutline(first) && existsSync(outline)
    return this.#openFile(usesOutline ? outline : segmentPath(folder, first), first, segmentBlocks)
  }

  /**
   * The mover may write headers while the archive thread takes an outline with everything. A reader without an archive
   * has no use for more than headers, and no archive thread makes a damaged outline again.
   */
  #prefersOutline(first: number): boolean {
    return this.#archive !== undefined && !this.#isComplete(first)
  }

  /** Whether this node had all blocks of the range, so its own segment has them. */
  #isComplete(first: number): boolean {
    return first >= (META.firstBlock.read(this.#kv) ?? 0)
  }

  #openFile(path: string, first: number, segmentBlocks: number): OpenSegment {
    const source = openSource(path)
    try {
      const segment = new Segment(source, this.#cache, this.#archive)
      const genesisHash = META.genesisHash.read(this.#kv)
      const isOurs = genesisHash !== undefined && equalBytes(segment.genesisHash, genesisHash)
      if (!isOurs || segment.first !== first || segment.count !== segmentBlocks)
        throw damagedSegment(path)('it has blocks of another chain or range')
      return { segment, isOutline: segment.object !== undefined }
    } catch (error) {
      source.close()
      throw error
    }
  }
}
