/**
 * An index of a segment: for each key the blocks that have it, and positions within the blocks if the index has them.
 * It is divided into pages, so a lookup reads one.
 */

import { type ValueReader, ValueWriter } from '#store/kv/varint.ts'
import type { Damaged } from './segment-layout.ts'

export interface IndexPage {
  readonly firstKey: number
  readonly bytes: Uint8Array
}

export interface Posting {
  /** Position of the block in the segment. */
  readonly block: number
  /** Ascending; empty if the index has none. */
  readonly positions: readonly number[]
}

/** A read of one page of the disk; a key with more postings has a longer page. */
const PAGE_BYTES = 4096
const BUCKETS = 4096
const BUCKET_KEYS = 2 ** 48 / BUCKETS
const INITIAL_LENGTH = 1024
/** Postings between two points at which the work may pause. */
const PAUSE_POSTINGS = 1000

/** Collects postings in ascending order of blocks and positions, and sorts them by key. */
export class Postings {
  readonly #hasPositions: boolean
  #keys = new Float64Array(INITIAL_LENGTH)
  #blocks = new Uint32Array(INITIAL_LENGTH)
  #positions = new Uint32Array(INITIAL_LENGTH)
  #length = 0

  constructor(hasPositions: boolean) {
    this.#hasPositions = hasPositions
  }

  add(key: number, block: number, position = 0): void {
    if (this.#length === this.#keys.length) this.#grow()
    this.#keys[this.#length] = key
    this.#blocks[this.#length] = block
    this.#positions[this.#length] = position
    this.#length++
  }

  /** Yields pages in ascending order of keys, and undefined wherever the caller may pause. */
  *pages(): Generator<IndexPage | undefined, void, undefined> {
    const { order, ends } = yield* this.#byBucket()
    const page = new PageWriter()
    let start = 0
    for (const end of ends) {
      const groups = new Map<number, number[]>()
      for (let at = start; at < end; at++) {
        const posting = order[at]!
        const key = this.#keys[posting]!
        const group = groups.get(key)
        if (group === undefined) groups.set(key, [posting])
        else group.push(posting)
        if (at % PAUSE_POSTINGS === 0) yield undefined
      }
      start = end
      for (const key of [...groups.keys()].sort((a, b) => a - b)) {
        const entry = yield* this.#entry(groups.get(key)!)
        const full = page.add(key, entry)
        if (full !== undefined) yield full
      }
    }
    const last = page.finish()
    if (last !== undefined) yield last
  }

  /** A counting sort: the order of postings by the upper bits of their keys, which keeps their own order. */
  *#byBucket() {
    const ends = new Uint32Array(BUCKETS)
    for (let at = 0; at < this.#length; at++) ends[this.#bucket(at)]!++
    yield undefined
    const next = new Uint32Array(BUCKETS)
    for (let bucket = 1; bucket < BUCKETS; bucket++) {
      next[bucket] = ends[bucket - 1]!
      ends[bucket]! += ends[bucket - 1]!
    }
    const order = new Uint32Array(this.#length)
    for (let at = 0; at < this.#length; at++) {
      order[next[this.#bucket(at)]!++] = at
      if (at % PAUSE_POSTINGS === 0) yield undefined
    }
    return { order, ends }
  }

  #bucket(at: number): number {
    return Math.floor(this.#keys[at]! / BUCKET_KEYS)
  }

  *#entry(postings: readonly number[]): Generator<undefined, ValueWriter, undefined> {
    const blocks: [block: number, positions: number[]][] = []
    for (const [at, posting] of postings.entries()) {
      const block = this.#blocks[posting]!
      const position = this.#positions[posting]!
      const last = blocks.at(-1)
      if (last?.[0] !== block) blocks.push([block, [position]])
      else if (last[1].at(-1) !== position) last[1].push(position)
      if (at % PAUSE_POSTINGS === 0) yield undefined
    }
    const writer = new ValueWriter(16)
    writer.varint(blocks.length)
    let lastBlock = -1
    for (const [block, positions] of blocks) {
      writer.varint(block - lastBlock - 1)
      lastBlock = block
      if (this.#hasPositions) writePositions(writer, positions)
    }
    return writer
  }

  #grow(): void {
    const length = 2 * this.#keys.length
    const grown = <List extends Float64Array | Uint32Array>(list: List, into: List): List => {
      into.set(list)
      return into
    }
    this.#keys = grown(this.#keys, new Float64Array(length))
    this.#blocks = grown(this.#blocks, new Uint32Array(length))
    this.#positions = grown(this.#positions, new Uint32Array(length))
  }
}

function writePositions(writer: ValueWriter, positions: readonly number[]): void {
  writer.varint(positions.length)
  let last = -1
  for (const position of positions) {
    writer.varint(position - last - 1)
    last = position
  }
}

class PageWriter {
  readonly #writer = new ValueWriter(PAGE_BYTES)
  #firstKey: number | undefined
  #lastKey = 0

  /** Returns the page before this entry if the entry does not fit into it. */
  add(key: number, entry: ValueWriter): IndexPage | undefined {
    const full = this.#writer.view().length + entry.view().length > PAGE_BYTES ? this.finish() : undefined
    if (this.#firstKey === undefined) {
      this.#firstKey = key
      this.#lastKey = key
    }
    this.#writer.varint(key - this.#lastKey)
    this.#writer.append(entry.view())
    this.#lastKey = key
    return full
  }

  finish(): IndexPage | undefined {
    if (this.#firstKey === undefined) return undefined
    const page = { firstKey: this.#firstKey, bytes: new Uint8Array(this.#writer.view()) }
    this.#writer.clear()
    this.#firstKey = undefined
    return page
  }
}

/** Returns the postings of a key, or none. */
export function findPostings(
  reader: ValueReader,
  { firstKey, key, hasPositions, blocks }: PageQuery,
  damaged: Damaged,
): Posting[] {
  for (let current = firstKey; reader.left > 0; ) {
    current += reader.varint()
    if (current > key) return []
    const postings = readEntry(reader, hasPositions, current === key)
    if (current !== key) continue
    if (postings.length === 0 || postings.at(-1)!.block >= blocks)
      throw damaged('an index names a block outside of it')
    return postings
  }
  return []
}

/** Yields all postings of a page with ascending keys. */
export function* pagePostings(
  reader: ValueReader,
  { firstKey, hasPositions, blocks }: Omit<PageQuery, 'key'>,
  damaged: Damaged,
): Generator<readonly [key: number, Posting], void, undefined> {
  for (let key = firstKey; reader.left > 0; ) {
    key += reader.varint()
    for (const posting of readEntry(reader, hasPositions, true)) {
      if (posting.block >= blocks) throw damaged('an index names a block outside of it')
      yield [key, posting]
    }
  }
}

export interface PageQuery {
  readonly firstKey: number
  readonly key: number
  readonly hasPositions: boolean
  /** Number of blocks in the segment. */
  readonly blocks: number
}

/** Skips the entry if it is not wanted. Counts are bounded, because each costs at least a byte of the page. */
function readEntry(reader: ValueReader, hasPositions: boolean, isWanted: boolean): Posting[] {
  const postings: Posting[] = []
  let block = -1
  for (let left = reader.varint(); left > 0; left--) {
    block += reader.varint() + 1
    const positions = hasPositions ? readPositions(reader) : []
    if (isWanted) postings.push({ block, positions })
  }
  return postings
}

function readPositions(reader: ValueReader): number[] {
  const positions: number[] = []
  let position = -1
  for (let left = reader.varint(); left > 0; left--) {
    position += reader.varint() + 1
    positions.push(position)
  }
  return positions
}
