/** Reads one segment. Every read compares a checksum first: a changed byte is an error and never another answer. */

import { crc32 } from 'node:zlib'
import type { Sliced } from '#platform/next-turn.ts'
import { WORD_BYTES } from '#store/kv/keys.ts'
import { unzstdExpecting } from '#store/kv/unzstd.ts'
import { ValueReader } from '#store/kv/varint.ts'
import type { BlockTable, TransactionPlace } from '#store/store.ts'
import { equalBytes } from '#types/bytes.ts'
import type { ChunkCache } from './chunk-cache.ts'
import { BLOCK_ITSELF, type HashPlace, PLACE_BYTES } from './indexed-hashes.ts'
import { findPostings, type Posting, pagePostings } from './postings.ts'
import type { SegmentIndexes } from './segment-indexes.ts'
import {
  type ArchivedObject,
  type ChunkPlace,
  contentsElsewhere,
  type Damaged,
  type Directory,
  damagedSegment,
  decodeDirectory,
  decodeFooter,
  FOOTER_BYTES,
  foldedKey,
  INDEXES,
  type IndexName,
  isDamage,
  LISTS,
  MAGIC,
  type SegmentList,
  UNTRACED_KEY,
} from './segment-layout.ts'

/** The bytes of a segment, wherever they are. */
export interface SegmentSource {
  readonly name: string
  readonly bytes: number
  /** Returns fewer bytes at the end. */
  read(offset: number, length: number): Uint8Array
  close(): void
}

/** Reads chunks of contents that are in an archive. */
export interface ArchivedContents {
  /** Returns stored bytes with the right checksum. Throws `DataPending` while they are on the way. */
  read(first: number, object: ArchivedObject, place: ChunkPlace): Uint8Array
}

const HAS_POSITIONS: Readonly<Record<IndexName, boolean>> = {
  blockHash: false,
  transaction: true,
  logAddress: false,
  logTopic: false,
  caller: true,
  callee: true,
}
const CONTENT_PARTS = ['body', 'receipts', 'callTrees'] as const

let lastId = 0

export class Segment {
  readonly first: number
  readonly count: number
  readonly genesisHash: Uint8Array
  readonly #source: SegmentSource
  readonly #cache: ChunkCache
  readonly #directory: Directory
  readonly #damaged: Damaged
  readonly #id = ++lastId
  readonly #archive: ArchivedContents | undefined
  #hasDamagedCopy = false

  /** Reads the directory. Throws SEGMENT_DAMAGED like every other read. `archive` has the contents of outlines. */
  constructor(source: SegmentSource, cache: ChunkCache, archive?: ArchivedContents) {
    this.#source = source
    this.#cache = cache
    this.#archive = archive
    this.#damaged = damagedSegment(source.name)
    if (!equalBytes(this.#bytes(0, MAGIC.length), MAGIC)) throw this.#damaged('it does not begin like one')
    const end = source.bytes - FOOTER_BYTES
    const footer = decodeFooter(this.#bytes(end, FOOTER_BYTES), source.bytes, this.#damaged)
    const { offset, storedBytes, crc } = footer.directory
    const bytes = this.#bytes(offset, storedBytes)
    if (crc32(bytes) !== crc) throw this.#damaged('its directory changed')
    this.#directory = decodeDirectory(bytes, footer, this.#damaged)
    this.first = footer.first
    this.count = footer.count
    this.genesisHash = footer.genesisHash
  }

  /** The object in the archive that has the contents; undefined if this segment has them. */
  get object(): ArchivedObject | undefined {
    return this.#directory.object
  }

  /** Whether a read found a damaged copy of the dictionary and used the other one. */
  get hasDamagedCopy(): boolean {
    return this.#hasDamagedCopy
  }

  /** Whether the blocks have only headers: each lacks its three parts. */
  get hasOnlyHeaders(): boolean {
    const { contents } = this.#directory
    let bytes = 0
    for (let at = 0; at < contents.length; at++) bytes += contents.at(at).rawBytes
    return bytes === CONTENT_PARTS.length * this.count
  }

  /** The block must be in the segment. */
  hash(number: number): Uint8Array {
    return this.#header(number).hash
  }

  /** Returns undefined if the segment has another block with this number, or the block lacks this part. */
  read(table: BlockTable, number: number, hash: Uint8Array): Uint8Array | undefined {
    const found = this.#header(number)
    if (table === 'edits' || !equalBytes(found.hash, hash)) return undefined
    return table === 'header' ? found.header : this.#content(number, table)
  }

  numberOf(hash: Uint8Array): number | undefined {
    const numbers = this.#postings('blockHash', hash).map(({ block }) => this.first + block)
    return numbers.find((number) => equalBytes(this.hash(number), hash))
  }

  /** Transactions whose hash folds to the same key; the caller compares the hash. */
  transactions(hash: Uint8Array): TransactionPlace[] {
    return this.#postings('transaction', hash).flatMap(({ block, positions }) =>
      positions.map((index) => ({ number: this.first + block, index })),
    )
  }

  /** Blocks that may have such a log, ascending. */
  blocksWithLogs(index: 'logAddress' | 'logTopic', value: Uint8Array): number[] {
    return this.#postings(index, value).map(({ block }) => this.first + block)
  }

  /** Transactions that may have such a call; a block may appear twice. */
  tracedTransactions(index: 'caller' | 'callee', address: Uint8Array) {
    const key = foldedKey(address)
    const postings = [key, ...(key === UNTRACED_KEY ? [] : [UNTRACED_KEY])].flatMap((each) =>
      this.#postingsOf(index, each),
    )
    return postings.map(({ block, positions }) => ({ number: this.first + block, transactions: positions }))
  }

  /** All places of one of the two indexes of hashes with ascending keys, and about their number. */
  hashPlaces(index: 'blockHash' | 'transaction') {
    const places = this.#directory[index]
    let bytes = 0
    for (let at = 0; at < places.length; at++) bytes += places.at(at).rawBytes
    return { places: this.#hashPlaces(index), expected: bytes / PLACE_BYTES }
  }

  *#hashPlaces(index: 'blockHash' | 'transaction'): Generator<HashPlace, void, undefined> {
    const hasPositions = HAS_POSITIONS[index]
    const list = this.#directory[index]
    for (let at = 0; at < list.length; at++) {
      const place = list.at(at)
      const reader = new ValueReader(this.#decode(place, index), this.#damaged)
      const page = { firstKey: place.first, hasPositions, blocks: this.count }
      for (const [key, { block, positions }] of pagePostings(reader, page, this.#damaged)) {
        for (const position of hasPositions ? positions : [BLOCK_ITSELF])
          yield { key, block: this.first + block, position }
      }
    }
  }

  /** Yields the checked chunks one by one; throws at the first damaged one. An outline is checked without contents. */
  *verify(): Generator<ChunkPlace, void, undefined> {
    for (const name of LISTS) {
      if (name === 'contents' && this.object !== undefined) continue
      const places = this.#directory[name]
      for (let at = 0; at < places.length; at++) {
        const place = places.at(at)
        this.#decode(place, name)
        yield place
      }
    }
  }

  /** Compares the indexes with those of the blocks; throws at the first difference. */
  *verifyIndexes(indexes: SegmentIndexes): Sliced<void> {
    for (const name of INDEXES) {
      const places = this.#directory[name]
      let at = 0
      for (const page of indexes.pages(name)) {
        yield
        if (page === undefined) continue
        const place = at < places.length ? places.at(at++) : undefined
        if (place?.first !== page.firstKey || !equalBytes(this.#decode(place, name), page.bytes))
          throw this.#damaged(`its index ${name} does not match its blocks`)
      }
      if (at < places.length) throw this.#damaged(`its index ${name} does not match its blocks`)
    }
  }

  close(): void {
    this.#source.close()
  }

  #header(number: number): { readonly hash: Uint8Array; readonly header: Uint8Array } {
    const { reader, skip } = this.#chunkOf('headers', number - this.first)
    for (let left = skip; left > 0; left--) {
      reader.take(WORD_BYTES)
      reader.take(reader.varint())
    }
    // Copied, because a view would keep its chunk in memory.
    return {
      hash: new Uint8Array(reader.take(WORD_BYTES)),
      header: new Uint8Array(reader.take(reader.varint())),
    }
  }

  #content(number: number, table: (typeof CONTENT_PARTS)[number]): Uint8Array | undefined {
    const { reader, skip } = this.#chunkOf('contents', number - this.first)
    const before = skip * CONTENT_PARTS.length + CONTENT_PARTS.indexOf(table)
    for (let left = before; left > 0; left--) reader.take(Math.max(0, reader.varint() - 1))
    const length = reader.varint()
    return length === 0 ? undefined : new Uint8Array(reader.take(length - 1))
  }

  /** `skip` is the number of blocks before this one in the chunk. */
  #chunkOf(list: 'headers' | 'contents', block: number) {
    const place = this.#directory[list].lastUpTo(block)
    if (place === undefined || block >= this.count) throw this.#damaged('it does not have this block')
    const isElsewhere = list === 'contents' && this.object !== undefined
    const bytes = isElsewhere ? this.#archivedChunk(place) : this.#chunk(place, list)
    return { reader: new ValueReader(bytes, this.#damaged), skip: block - place.first }
  }

  #postings(index: IndexName, value: Uint8Array): Posting[] {
    return this.#postingsOf(index, foldedKey(value))
  }

  #postingsOf(index: IndexName, key: number): Posting[] {
    const place = this.#directory[index].lastUpTo(key)
    if (place === undefined) return []
    const reader = new ValueReader(this.#chunk(place, index), this.#damaged)
    const query = { firstKey: place.first, key, hasPositions: HAS_POSITIONS[index], blocks: this.count }
    return findPostings(reader, query, this.#damaged)
  }

  /** The dictionary of contents, from the first intact copy; undefined if the segment has none. */
  #dictionary(): Uint8Array | undefined {
    const copies = this.#directory.dictionary
    for (let at = 0; at < copies.length; at++) {
      try {
        return this.#chunk(copies.at(at), 'dictionary')
      } catch (error) {
        if (!isDamage(error) || at === copies.length - 1) throw error
        this.#hasDamagedCopy = true
      }
    }
    return undefined
  }

  #chunk(place: ChunkPlace, list: SegmentList): Uint8Array {
    // Not by name: a file may be replaced by one with other offsets.
    const key = `${this.#id}:${place.offset}`
    return this.#cache.get(list, key, () => this.#decode(place, list))
  }

  #archivedChunk(place: ChunkPlace): Uint8Array {
    const key = `${this.#source.name} in the archive:${place.offset}`
    return this.#cache.get('contents', key, () => {
      const { object } = this
      if (object === undefined || this.#archive === undefined) throw contentsElsewhere(this.#source.name)
      return this.#unpack(this.#archive.read(this.first, object, place), place, 'contents')
    })
  }

  #decode(place: ChunkPlace, list: SegmentList): Uint8Array {
    const { offset, storedBytes, crc } = place
    const stored = this.#bytes(offset, storedBytes)
    if (crc32(stored) !== crc) throw this.#damaged(`the chunk at byte ${offset} changed`)
    return this.#unpack(stored, place, list)
  }

  #unpack(stored: Uint8Array, { offset, storedBytes, rawBytes }: ChunkPlace, list: SegmentList): Uint8Array {
    if (storedBytes === rawBytes) return stored
    const dictionary = list === 'contents' ? this.#dictionary() : undefined
    const bytes = this.#decompress(stored, rawBytes, dictionary)
    if (bytes.length !== rawBytes) throw this.#damaged(`the chunk at byte ${offset} has another length`)
    return bytes
  }

  #decompress(stored: Uint8Array, rawBytes: number, dictionary: Uint8Array | undefined): Uint8Array {
    try {
      return unzstdExpecting(stored, rawBytes, dictionary)
    } catch (error) {
      throw this.#damaged(`a chunk does not decompress (${error instanceof Error ? error.message : error})`)
    }
  }

  #bytes(offset: number, length: number): Uint8Array {
    if (offset < 0) throw this.#damaged('it is cut off')
    const bytes = this.#source.read(offset, length)
    if (bytes.length !== length) throw this.#damaged('it is cut off')
    return bytes
  }
}
