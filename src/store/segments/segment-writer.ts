/** Writes the blocks of a range into one segment, from the first to the last. */

import { promisify } from 'node:util'
import { constants, crc32, zstdCompress } from 'node:zlib'
import { ValueWriter } from '#store/kv/varint.ts'
import { assert } from '#types/assert.ts'
import { concatBytes } from '#types/bytes.ts'
import { type IndexedValues, SegmentIndexes } from './segment-indexes.ts'
import {
  type ChunkPlace,
  encodeDirectory,
  encodeFooter,
  INDEXES,
  LISTS,
  MAGIC,
  type SegmentList,
} from './segment-layout.ts'

/** A canonical block with its entries in the indexes. A block before an imported state has only a header. */
export interface SegmentBlock extends IndexedValues {
  readonly header: Uint8Array
  readonly body: Uint8Array | undefined
  readonly receipts: Uint8Array | undefined
  readonly callTrees: Uint8Array | undefined
}

export interface SegmentTarget {
  append(bytes: Uint8Array): Promise<void>
  /** Awaited between pieces of work of less than a millisecond. */
  pause(): Promise<void> | undefined
}

/** Uncompressed bytes after which a chunk ends. Reading a value decompresses its chunk. */
const CHUNK_BYTES = 64 * 1024
const LEVEL = 3
/**
 * Contents are compressed with their first bytes as a dictionary, because an address seldom occurs twice in one chunk.
 * Readers cache the decompressed dictionary.
 */
const DICTIONARY_BYTES = 256 * 1024
/** With fewer contents, the second copy of the dictionary would cost more than it saves. */
const DICTIONARY_FROM_BYTES = 2 * 1024 * 1024
/** zstd gains nothing on fewer bytes. */
const COMPRESS_FROM_BYTES = 128

const compress = promisify(zstdCompress)

export interface DictionarySizes {
  readonly bytes: number
  /** Bytes of contents below which a segment has no dictionary. */
  readonly fromBytes: number
}

/** Bytes that begin with the magic of a trained dictionary are read as one. */
const NO_MAGIC = new Uint8Array(1)

const DICTIONARY_SIZES: DictionarySizes = { bytes: DICTIONARY_BYTES, fromBytes: DICTIONARY_FROM_BYTES }

interface RawChunk {
  readonly first: number
  readonly bytes: Uint8Array
}

export class SegmentWriter {
  readonly #target: SegmentTarget
  readonly #genesisHash: Uint8Array
  readonly #first: number
  readonly #places = Object.fromEntries(LISTS.map((name) => [name, [] as ChunkPlace[]])) as Record<
    SegmentList,
    ChunkPlace[]
  >
  readonly #headers = new ValueWriter(CHUNK_BYTES)
  readonly #contents = new ValueWriter(CHUNK_BYTES)
  /** The first block in each open chunk. */
  readonly #firsts = { headers: 0, contents: 0 }
  readonly #indexes = new SegmentIndexes()
  readonly #sizes: DictionarySizes
  #dictionary: Uint8Array | undefined
  /** Chunks of contents before the dictionary is known. */
  #early: RawChunk[] = []
  #earlyBytes = 0
  #count = 0
  #offset = 0

  constructor(target: SegmentTarget, first: number, genesisHash: Uint8Array, sizes = DICTIONARY_SIZES) {
    this.#target = target
    this.#sizes = sizes
    this.#first = first
    this.#genesisHash = genesisHash
  }

  async add(block: SegmentBlock): Promise<void> {
    if (this.#count === 0) await this.#append(MAGIC)
    this.#headers.append(block.hash)
    this.#headers.varint(block.header.length)
    this.#headers.append(block.header)
    for (const part of [block.body, block.receipts, block.callTrees]) {
      this.#contents.varint(part === undefined ? 0 : part.length + 1)
      if (part !== undefined) this.#contents.append(part)
    }
    this.#indexes.add(block, this.#count)
    this.#count++
    for (const name of ['headers', 'contents'] as const) {
      if (this.#open(name).view().length >= CHUNK_BYTES) await this.#endChunk(name)
    }
    await this.#target.pause()
  }

  /** Returns the length of the segment. */
  async finish(): Promise<number> {
    assert(this.#count > 0, 'A segment has blocks.')
    for (const name of ['headers', 'contents'] as const) await this.#endChunk(name)
    await this.#writeEarly()
    for (const name of INDEXES) {
      for (const page of this.#indexes.pages(name)) {
        if (page !== undefined) this.#places[name].push(await this.#chunk(page.firstKey, page.bytes))
        await this.#target.pause()
      }
    }
    // All contents would be lost with the dictionary, so a second copy follows far from the first.
    if (this.#dictionary !== undefined) await this.#appendDictionary(this.#dictionary)
    const bytes = encodeDirectory(this.#places)
    const directory = { offset: this.#offset, storedBytes: bytes.length, crc: crc32(bytes) }
    await this.#append(bytes)
    const range = { first: this.#first, count: this.#count, genesisHash: this.#genesisHash }
    await this.#append(encodeFooter({ isOutline: false, ...range, directory }))
    return this.#offset
  }

  #open(name: 'headers' | 'contents'): ValueWriter {
    return name === 'headers' ? this.#headers : this.#contents
  }

  async #endChunk(name: 'headers' | 'contents'): Promise<void> {
    const open = this.#open(name)
    const bytes = new Uint8Array(open.view())
    if (bytes.length === 0) return
    open.clear()
    const chunk = { first: this.#firsts[name], bytes }
    this.#firsts[name] = this.#count
    if (name === 'headers') this.#places.headers.push(await this.#chunk(chunk.first, bytes))
    else if (this.#dictionary === undefined) await this.#keepEarly(chunk)
    else await this.#writeContents(chunk)
  }

  async #keepEarly(chunk: RawChunk): Promise<void> {
    this.#early.push(chunk)
    this.#earlyBytes += chunk.bytes.length
    if (this.#earlyBytes < this.#sizes.fromBytes) return
    const contents = this.#early.map(({ bytes }) => bytes.subarray(0, this.#sizes.bytes))
    this.#dictionary = concatBytes(NO_MAGIC, ...contents).slice(0, this.#sizes.bytes)
    await this.#appendDictionary(this.#dictionary)
    await this.#writeEarly()
  }

  async #writeEarly(): Promise<void> {
    for (const chunk of this.#early.splice(0)) await this.#writeContents(chunk)
  }

  async #writeContents({ first, bytes }: RawChunk): Promise<void> {
    this.#places.contents.push(await this.#chunk(first, bytes, this.#dictionary))
  }

  async #appendDictionary(dictionary: Uint8Array): Promise<void> {
    const { dictionary: copies } = this.#places
    copies.push(await this.#chunk(copies.length, dictionary))
  }

  async #chunk(first: number, bytes: Uint8Array, dictionary?: Uint8Array): Promise<ChunkPlace> {
    const stored = bytes.length < COMPRESS_FROM_BYTES ? bytes : await smaller(bytes, dictionary)
    const place = { first, offset: this.#offset, storedBytes: stored.length, rawBytes: bytes.length }
    await this.#append(stored)
    return { ...place, crc: crc32(stored) }
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length
    await this.#target.append(bytes)
  }
}

async function smaller(bytes: Uint8Array, dictionary: Uint8Array | undefined): Promise<Uint8Array> {
  const params = { [constants.ZSTD_c_compressionLevel]: LEVEL }
  const compressed = await compress(bytes, { params, ...(dictionary && { dictionary }) })
  return compressed.length < bytes.length ? compressed : bytes
}
