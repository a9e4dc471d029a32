/**
 * The blocks that left the database: one segment for each range, in a folder of the database directory. Readers ask
 * here for blocks that the database does not have. The mark of moved blocks is durable before their entries are
 * deleted, so a reader finds every block in at least one of the two.
 */

import { closeSync, existsSync, fstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ByteCache } from '#platform/byte-cache.ts'
import { readAt } from '#platform/files/files.ts'
import { type KvReader, SEGMENT_FOLDER } from '#store/kv/kv.ts'
import { META, type MovedMark } from '#store/meta.ts'
import type { BlockTable, TracedTransactions, TransactionPlace } from '#store/store.ts'
import { equalBytes } from '#types/bytes.ts'
import { noteDamage } from './damage-notes.ts'
import { HashIndexes } from './hash-indexes.ts'
import { BLOCK_ITSELF, type HashPlace } from './indexed-hashes.ts'
import { type ChunkCache, Segment, type SegmentSource } from './segment.ts'
import { damagedSegment, isDamage, segmentName } from './segment-layout.ts'

/** Blocks per segment. The size of a database never changes. */
export const SEGMENT_BLOCKS = 8_192
/** Per thread. Each has a file descriptor, and 28 bytes in memory for each of its chunks. */
const OPEN_SEGMENTS_MAX = 128
/** Per thread; a scan over blocks decompresses each chunk once. */
const CACHE_BYTES = 8 * 1024 * 1024
const SCAN_CACHE_BYTES = 1024 * 1024

const SEGMENT_NAME = /^\d{12}\.segment$/

/** Paths of the segments within a database directory, ascending. */
export function segmentPaths(database: string): string[] {
  const folder = join(database, SEGMENT_FOLDER)
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => SEGMENT_NAME.test(name))
  return names.sort().map((name) => `${SEGMENT_FOLDER}/${name}`)
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

/** Opens a segment outside a running node. It keeps only the chunk that it read last. */
export function openSegment(path: string): Segment {
  const source = openSource(path)
  try {
    return new Segment(source, new ByteCache(SCAN_CACHE_BYTES))
  } catch (error) {
    source.close()
    throw error
  }
}

export class PastBlocks {
  readonly #kv: KvReader
  readonly #folder: string | undefined
  readonly #cache: ChunkCache = new ByteCache(CACHE_BYTES)
  /** By first block; the one used last is at the end. */
  readonly #open = new Map<number, Segment>()
  readonly #hashes: HashIndexes | undefined

  /** A database in memory has no folder and moves no blocks. */
  constructor(kv: KvReader, folder: string | undefined) {
    this.#kv = kv
    this.#folder = folder
    if (folder !== undefined) this.#hashes = new HashIndexes(kv, folder, openSource)
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

  close(): void {
    for (const segment of this.#open.values()) segment.close()
    this.#open.clear()
    this.#hashes?.close()
  }

  #ask<Value>(number: number, question: (segment: Segment) => Value): Value | undefined {
    const mark = this.mark()
    if (mark === undefined || number >= mark.end) return undefined
    return this.#with(number - (number % mark.segmentBlocks), mark, question)
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
    const mark = this.mark()
    if (mark === undefined) return
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
    let end = mark.end
    const ranges = this.#hashes?.ranges(mark.end) ?? [{ first: 0, blocks: mark.end }]
    for (const range of ranges.toReversed()) {
      const places = this.#hashes?.find(range, hash)
      for (const place of places ?? []) yield* unlessDamaged(() => indexSays(place))
      for (let at = end; places === undefined && at > range.first; at -= mark.segmentBlocks)
        yield* unlessDamaged(() => this.#with(at - mark.segmentBlocks, mark, segmentSays))
      end = range.first
    }
    if (damage !== undefined) throw damage
  }

  *#between(from: number, to: number) {
    const mark = this.mark()
    if (mark === undefined) return
    const { segmentBlocks, end } = mark
    for (let first = from - (from % segmentBlocks); first <= to && first < end; first += segmentBlocks) {
      yield <Value>(question: (segment: Segment) => Value): Value => this.#with(first, mark, question)
    }
  }

  /** A damaged segment is noted and closed, so the next read opens the file that replaced it. */
  #with<Value>(first: number, mark: MovedMark, question: (segment: Segment) => Value): Value {
    let segment = this.#open.get(first)
    this.#open.delete(first)
    try {
      segment ??= this.#openSegment(first, mark)
      const answer = question(segment)
      this.#open.set(first, segment)
      return answer
    } catch (error) {
      segment?.close()
      if (isDamage(error)) noteDamage(this.#folder ?? '', first)
      throw error
    }
  }

  #openSegment(first: number, { segmentBlocks }: MovedMark): Segment {
    if (this.#open.size >= OPEN_SEGMENTS_MAX) {
      const [oldest, segment] = this.#open.entries().next().value!
      this.#open.delete(oldest)
      segment.close()
    }
    const path = join(this.#folder ?? '', segmentName(first))
    const source = openSource(path)
    try {
      const segment = new Segment(source, this.#cache)
      const genesisHash = META.genesisHash.read(this.#kv)
      const isOurs = genesisHash !== undefined && equalBytes(segment.genesisHash, genesisHash)
      if (!isOurs || segment.first !== first || segment.count !== segmentBlocks)
        throw damagedSegment(path)('it has blocks of another chain or range')
      return segment
    } catch (error) {
      source.close()
      throw error
    }
  }
}

/** Opens a segment file for reading; a missing one is damaged. */
export function openSource(path: string): SegmentSource {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch (error) {
    // The message of the error has the folder, which clients do not see.
    throw damagedSegment(path)(`it cannot be opened (${(error as NodeJS.ErrnoException).code})`)
  }
  return {
    name: path,
    bytes: fstatSync(fd).size,
    read: (offset, length) => readAt(fd, length, offset),
    close: () => closeSync(fd),
  }
}
