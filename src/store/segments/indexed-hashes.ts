/**
 * An index of the block and transaction hashes of many segments, so a lookup by hash does not ask every segment. It is
 * derived from the segments: if it is missing or damaged, the segments are asked. docs/internals/wire/segments.md
 * describes the file.
 */

import { crc32 } from 'node:zlib'
import { NUMBER_BYTES, WORD_BYTES } from '#store/kv/keys.ts'
import { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import type { SegmentSource } from './segment.ts'
import { type Damaged, damagedSegment, foldedKey, KEYS, numberInName } from './segment-layout.ts'

/** A hash, folded to a key, and where it is. */
export interface HashPlace {
  readonly key: number
  /** The number of the block. */
  readonly block: number
  /** The position of the transaction in the block; BLOCK_ITSELF for the hash of the block. */
  readonly position: number
}

export const BLOCK_ITSELF = -1

export interface HashIndexRange {
  readonly first: number
  readonly blocks: number
  readonly genesisHash: Uint8Array
}

interface HashIndexFooter extends HashIndexRange {
  readonly tableOffset: number
  readonly pageBits: number
}

export const HASHES_SUFFIX = '.hashes'

/** The name of the index of these blocks. */
export function hashIndexName(first: number, blocks: number): string {
  return `${numberInName(first)}-${numberInName(first + blocks)}${HASHES_SUFFIX}`
}

const MAGIC = Buffer.from('CAIRNHSH', 'latin1')
const VERSION = 1
const CRC_BYTES = 4
const COUNT_BYTES = 4
const ROW_BYTES = NUMBER_BYTES + CRC_BYTES
const FOOTER_BYTES = NUMBER_BYTES + COUNT_BYTES + WORD_BYTES + NUMBER_BYTES + 1 + 1 + CRC_BYTES + MAGIC.length
/** About the bytes of a place: the distance to the previous key, a block and a position. Only sizes pages. */
export const PLACE_BYTES = 9
/** Smaller than a page of the disk: a lookup decodes half of it. */
const PAGE_BYTES = 1024
const MAX_PAGE_BITS = 24
/** Hashes of transactions can be chosen to fall into one page, at the cost of many attempts each. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024
const PAUSE_ENTRIES = 500

export interface HashIndexTarget {
  append(bytes: Uint8Array): Promise<void>
  /** Awaited between pieces of work of less than a millisecond. */
  pause(): Promise<void> | undefined
  isStopped(): boolean
}

/**
 * Writes an index of places with ascending keys; `expected` is about their number. Returns false if it was stopped, and
 * then the file is not complete.
 */
export async function writeHashIndex(
  target: HashIndexTarget,
  range: HashIndexRange,
  places: Iterable<HashPlace>,
  expected: number,
): Promise<boolean> {
  const pageBits = pageBitsFor(expected)
  const pageKeys = KEYS / 2 ** pageBits
  const table = Buffer.alloc(ROW_BYTES * 2 ** pageBits)
  const page = new ValueWriter(PAGE_BYTES)
  let offset = MAGIC.length
  let number = 0
  let lastKey = 0
  const endPage = async (): Promise<void> => {
    const bytes = page.view()
    table.writeUIntBE(offset, number * ROW_BYTES, NUMBER_BYTES)
    table.writeUInt32BE(crc32(bytes), number * ROW_BYTES + NUMBER_BYTES)
    await target.append(bytes)
    offset += bytes.length
    page.clear()
    number++
    lastKey = number * pageKeys
  }
  await target.append(MAGIC)
  let left = PAUSE_ENTRIES
  for (const { key, block, position } of places) {
    while (key >= (number + 1) * pageKeys) await endPage()
    page.varint(key - lastKey)
    page.varint(block - range.first)
    page.varint(position - BLOCK_ITSELF)
    lastKey = key
    if (--left > 0) continue
    left = PAUSE_ENTRIES
    await target.pause()
    if (target.isStopped()) return false
  }
  while (number < 2 ** pageBits) await endPage()
  await target.append(table)
  await target.append(encodeFooter({ ...range, tableOffset: offset, pageBits }))
  return true
}

function pageBitsFor(entries: number): number {
  const pages = (entries * PLACE_BYTES) / PAGE_BYTES
  return Math.min(MAX_PAGE_BITS, Math.max(0, Math.round(Math.log2(pages))))
}

export class HashIndex {
  readonly first: number
  readonly blocks: number
  readonly genesisHash: Uint8Array
  readonly #source: SegmentSource
  readonly #footer: HashIndexFooter
  readonly #damaged: Damaged

  /** Throws SEGMENT_DAMAGED like every other read. */
  constructor(source: SegmentSource) {
    this.#source = source
    this.#damaged = damagedSegment(source.name)
    this.#footer = decodeFooter(
      this.#bytes(source.bytes - FOOTER_BYTES, FOOTER_BYTES),
      source.bytes,
      this.#damaged,
    )
    this.first = this.#footer.first
    this.blocks = this.#footer.blocks
    this.genesisHash = this.#footer.genesisHash
  }

  /** About the number of places. */
  get expected(): number {
    return this.#footer.tableOffset / PLACE_BYTES
  }

  /** Places whose hash folds to the same key; the caller compares the hash. */
  find(hash: Uint8Array): HashPlace[] {
    const key = foldedKey(hash)
    const found: HashPlace[] = []
    const page = Math.floor(key / this.#pageKeys)
    const reader = this.#page(page)
    for (let at = page * this.#pageKeys; at <= key && reader.left > 0; ) {
      at += reader.varint()
      const [block, position] = [reader.varint(), reader.varint()]
      if (at === key) found.push(this.#place(at, block, position))
    }
    return found
  }

  /** All places with ascending keys. */
  *places(): Generator<HashPlace, void, undefined> {
    for (let page = 0; page < 2 ** this.#footer.pageBits; page++) {
      const reader = this.#page(page)
      for (let key = page * this.#pageKeys; reader.left > 0; ) {
        key += reader.varint()
        yield this.#place(key, reader.varint(), reader.varint())
      }
    }
  }

  close(): void {
    this.#source.close()
  }

  get #pageKeys(): number {
    return KEYS / 2 ** this.#footer.pageBits
  }

  #place(key: number, block: number, position: number): HashPlace {
    if (block >= this.blocks) throw this.#damaged('it names a block outside of it')
    return { key, block: this.first + block, position: position + BLOCK_ITSELF }
  }

  #page(number: number): ValueReader {
    const { tableOffset, pageBits } = this.#footer
    const isLast = number + 1 === 2 ** pageBits
    const bytes = this.#bytes(tableOffset + number * ROW_BYTES, isLast ? ROW_BYTES : 2 * ROW_BYTES)
    const rows = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const start = rows.readUIntBE(0, NUMBER_BYTES)
    const end = isLast ? tableOffset : rows.readUIntBE(ROW_BYTES, NUMBER_BYTES)
    const length = end - start
    if (start < MAGIC.length || end > tableOffset || length < 0 || length > MAX_PAGE_BYTES)
      throw this.#damaged('its table names an impossible page')
    const page = this.#bytes(start, length)
    if (crc32(page) !== rows.readUInt32BE(NUMBER_BYTES)) throw this.#damaged(`page ${number} changed`)
    return new ValueReader(page, this.#damaged)
  }

  #bytes(offset: number, length: number): Uint8Array {
    const bytes = offset < 0 ? undefined : this.#source.read(offset, length)
    if (bytes?.length !== length) throw this.#damaged('it is cut off')
    return bytes
  }
}

function encodeFooter({ first, blocks, genesisHash, tableOffset, pageBits }: HashIndexFooter): Buffer {
  const footer = Buffer.alloc(FOOTER_BYTES)
  let at = footer.writeUIntBE(first, 0, NUMBER_BYTES)
  at = footer.writeUInt32BE(blocks, at)
  footer.set(genesisHash, at)
  at = footer.writeUIntBE(tableOffset, at + WORD_BYTES, NUMBER_BYTES)
  at = footer.writeUInt8(pageBits, at)
  at = footer.writeUInt8(VERSION, at)
  at = footer.writeUInt32BE(crc32(footer.subarray(0, at)), at)
  footer.set(MAGIC, at)
  return footer
}

function decodeFooter(bytes: Uint8Array, fileBytes: number, damaged: Damaged): HashIndexFooter {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const crcAt = FOOTER_BYTES - MAGIC.length - CRC_BYTES
  if (!footer.subarray(crcAt + CRC_BYTES).equals(MAGIC)) throw damaged('it has no footer')
  if (footer.readUInt32BE(crcAt) !== crc32(footer.subarray(0, crcAt))) throw damaged('its footer changed')
  if (footer[crcAt - 1] !== VERSION) throw damaged(`its version is ${footer[crcAt - 1]}, not ${VERSION}`)
  const hashAt = NUMBER_BYTES + COUNT_BYTES
  const tableAt = hashAt + WORD_BYTES
  const decoded = {
    first: footer.readUIntBE(0, NUMBER_BYTES),
    blocks: footer.readUInt32BE(NUMBER_BYTES),
    genesisHash: Uint8Array.from(footer.subarray(hashAt, tableAt)),
    tableOffset: footer.readUIntBE(tableAt, NUMBER_BYTES),
    pageBits: footer[tableAt + NUMBER_BYTES]!,
  }
  const { pageBits, tableOffset } = decoded
  if (pageBits > MAX_PAGE_BITS || tableOffset + ROW_BYTES * 2 ** pageBits + FOOTER_BYTES !== fileBytes)
    throw damaged('its footer names impossible lengths')
  return decoded
}
