/** Writes the blocks of a range into one segment, from the first to the last. */

import { promisify } from 'node:util'
import { constants, crc32, zstdCompress } from 'node:zlib'
import { ValueWriter } from '#store/kv/varint.ts'
import { assert } from '#types/assert.ts'
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
/** zstd gains nothing on fewer bytes. */
const COMPRESS_FROM_BYTES = 128

const compress = promisify(zstdCompress)

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
  #count = 0
  #offset = 0

  constructor(target: SegmentTarget, first: number, genesisHash: Uint8Array) {
    this.#target = target
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
    for (const name of INDEXES) {
      for (const page of this.#indexes.pages(name)) {
        if (page !== undefined) this.#places[name].push(await this.#chunk(page.firstKey, page.bytes))
        await this.#target.pause()
      }
    }
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
    this.#places[name].push(await this.#chunk(this.#firsts[name], bytes))
    this.#firsts[name] = this.#count
  }

  async #chunk(first: number, bytes: Uint8Array): Promise<ChunkPlace> {
    const stored = bytes.length < COMPRESS_FROM_BYTES ? bytes : await smaller(bytes)
    const place = { first, offset: this.#offset, storedBytes: stored.length, rawBytes: bytes.length }
    await this.#append(stored)
    return { ...place, crc: crc32(stored) }
  }

  async #append(bytes: Uint8Array): Promise<void> {
    this.#offset += bytes.length
    await this.#target.append(bytes)
  }
}

async function smaller(bytes: Uint8Array): Promise<Uint8Array> {
  const compressed = await compress(bytes, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
  return compressed.length < bytes.length ? compressed : bytes
}
