/**
 * The layout of a segment: chunks, a directory of them, and a footer. docs/internals/wire/segments.md is the
 * specification. A segment may come from elsewhere, so decoding trusts nothing.
 */

import { basename } from 'node:path'
import { crc32 } from 'node:zlib'
import { type StoreFaultKind, storeFault } from '#store/faults.ts'
import { MAX_BLOB_BYTES } from '#store/kv/blob.ts'
import { NUMBER_BYTES, WORD_BYTES } from '#store/kv/keys.ts'
import { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import { Fault } from '#types/fault.ts'

const NUMBER_DIGITS = 12

/** A block number in the name of a file or object: names sort as numbers do. */
export function numberInName(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0')
}

/** The name of the file whose first block this is. */
export function segmentName(first: number): string {
  return `${numberInName(first)}.segment`
}

export const MAGIC = Buffer.from('CAIRNSEG', 'latin1')
/** An outline is a segment whose contents are in an object elsewhere. */
const VERSIONS = { segment: 3, outline: 4 } as const
/** Files of earlier builds have no dictionary. */
const PLAIN_VERSIONS = { segment: 1, outline: 2 } as const
const CRC_BYTES = 4
const COUNT_BYTES = 4
/** Four numbers and a checksum. */
const MIN_PLACE_BYTES = 8
/** First block, count, genesis hash, place and checksum of the directory, version, own checksum, magic. */
export const FOOTER_BYTES =
  NUMBER_BYTES +
  COUNT_BYTES +
  WORD_BYTES +
  NUMBER_BYTES +
  COUNT_BYTES +
  CRC_BYTES +
  1 +
  CRC_BYTES +
  MAGIC.length
/** A directory has about 20 bytes per chunk of 64 KiB or page of 4 KiB. */
export const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024
export const MAX_SEGMENT_BLOCKS = 2 ** 20
/** One block may have a body, receipts and call trees of the largest size, but they were read from blobs. */
export const MAX_CHUNK_BYTES = MAX_BLOB_BYTES
/** Every thread that reads contents caches dictionaries. */
export const MAX_DICTIONARY_BYTES = 512 * 1024
const MAX_DICTIONARIES = 2
/** Chunks of headers and pages of indexes are far smaller; all of them are decompressed before an object is trusted. */
const MAX_INDEX_CHUNK_BYTES = 64 * 1024 * 1024

/** Keys of an index are folded to 48 bits. */
export const INDEXES = ['blockHash', 'transaction', 'logAddress', 'logTopic', 'caller', 'callee'] as const
export type IndexName = (typeof INDEXES)[number]
/** The lists of a directory, in this order. `dictionary` has two copies of the dictionary for contents, or none. */
export const LISTS = ['headers', 'contents', ...INDEXES, 'dictionary'] as const
export type SegmentList = (typeof LISTS)[number]

/** The position and length of a chunk, and the first block or key in it. */
export interface ChunkPlace {
  /** The position of a block in the segment, or a key of an index. */
  readonly first: number
  readonly offset: number
  readonly storedBytes: number
  /** Equal to storedBytes if the chunk is not compressed. */
  readonly rawBytes: number
  /** CRC-32 of the stored bytes. */
  readonly crc: number
}

/** The chunks of a list in columns: an open segment keeps thousands of them in memory. */
export class ChunkPlaces {
  readonly length: number
  readonly #firsts: Float64Array
  readonly #offsets: Float64Array
  readonly #storedBytes: Uint32Array
  readonly #rawBytes: Uint32Array
  readonly #crcs: Uint32Array

  constructor(length: number) {
    this.length = length
    this.#firsts = new Float64Array(length)
    this.#offsets = new Float64Array(length)
    this.#storedBytes = new Uint32Array(length)
    this.#rawBytes = new Uint32Array(length)
    this.#crcs = new Uint32Array(length)
  }

  set(at: number, { first, offset, storedBytes, rawBytes, crc }: ChunkPlace): void {
    this.#firsts[at] = first
    this.#offsets[at] = offset
    this.#storedBytes[at] = storedBytes
    this.#rawBytes[at] = rawBytes
    this.#crcs[at] = crc
  }

  at(index: number): ChunkPlace {
    return {
      first: this.#firsts[index]!,
      offset: this.#offsets[index]!,
      storedBytes: this.#storedBytes[index]!,
      rawBytes: this.#rawBytes[index]!,
      crc: this.#crcs[index]!,
    }
  }

  /** The last chunk that begins at or before a block or key. */
  lastUpTo(wanted: number): ChunkPlace | undefined {
    let [low, high] = [0, this.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#firsts[middle]! <= wanted) low = middle + 1
      else high = middle
    }
    return low === 0 ? undefined : this.at(low - 1)
  }
}

/** The segment in an archive whose contents an outline lacks. */
export interface ArchivedObject {
  readonly sha256: Uint8Array
  readonly bytes: number
}

export interface Directory extends Readonly<Record<SegmentList, ChunkPlaces>> {
  /** If defined, the offsets of contents are in this object. */
  readonly object: ArchivedObject | undefined
}

export interface Footer {
  readonly isOutline: boolean
  readonly mayHaveDictionary: boolean
  readonly first: number
  readonly count: number
  readonly genesisHash: Uint8Array
  readonly directory: Pick<ChunkPlace, 'offset' | 'storedBytes' | 'crc'>
}

export type Damaged = (what: string) => Fault<StoreFaultKind>

export function damagedSegment(name: string): Damaged {
  return (what) => {
    const remedy = 'Replace it with a copy from a backup or another node: `cairn history repair --from`.'
    const sentence = `The history segment ${name} is damaged: ${what}. ${remedy}`
    // Clients see the name of the file, but not its folder.
    return storeFault('SEGMENT_DAMAGED', { sentence, forClients: `${basename(name)}: ${what}. ${remedy}` })
  }
}

export function isDamage(error: unknown): error is Fault<StoreFaultKind> {
  return error instanceof Fault && error.kind === 'SEGMENT_DAMAGED'
}

/** Returns undefined if the segment that would have the answer is damaged. */
export function unlessDamaged<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (!isDamage(error)) throw error
    return undefined
  }
}

/** The fault of a thread or command that reads no archive. */
export function contentsElsewhere(name: string): Fault<StoreFaultKind> {
  const remedy = 'Start the node with --history-archive to read them.'
  const sentence = `The blocks of ${name} are in the history archive. ${remedy}`
  const forClients = `The blocks of ${basename(name)} are in it. ${remedy}`
  return storeFault('ARCHIVE_UNAVAILABLE', { sentence, forClients })
}

export function encodeFooter({
  isOutline,
  first,
  count,
  genesisHash,
  directory,
}: Omit<Footer, 'mayHaveDictionary'>): Buffer {
  const footer = Buffer.alloc(FOOTER_BYTES)
  let at = footer.writeUIntBE(first, 0, NUMBER_BYTES)
  at = footer.writeUInt32BE(count, at)
  footer.set(genesisHash, at)
  at = footer.writeUIntBE(directory.offset, at + WORD_BYTES, NUMBER_BYTES)
  at = footer.writeUInt32BE(directory.storedBytes, at)
  at = footer.writeUInt32BE(directory.crc, at)
  at = footer.writeUInt8(isOutline ? VERSIONS.outline : VERSIONS.segment, at)
  at = footer.writeUInt32BE(crc32(footer.subarray(0, at)), at)
  footer.set(MAGIC, at)
  return footer
}

/** `fileBytes` is the length of the segment, which the directory ends before its footer. */
export function decodeFooter(bytes: Uint8Array, fileBytes: number, damaged: Damaged): Footer {
  const footer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const crcAt = FOOTER_BYTES - MAGIC.length - CRC_BYTES
  if (footer.length !== FOOTER_BYTES || !footer.subarray(crcAt + CRC_BYTES).equals(MAGIC))
    throw damaged('it has no footer')
  if (footer.readUInt32BE(crcAt) !== crc32(footer.subarray(0, crcAt))) throw damaged('its footer changed')
  const version = footer[crcAt - 1]
  const isOutline = version === VERSIONS.outline || version === PLAIN_VERSIONS.outline
  const mayHaveDictionary = version === VERSIONS.segment || version === VERSIONS.outline
  if (!isOutline && !mayHaveDictionary && version !== PLAIN_VERSIONS.segment)
    throw damaged(`its version is ${version}, and this Cairn reads up to ${VERSIONS.outline}`)
  const first = footer.readUIntBE(0, NUMBER_BYTES)
  const count = footer.readUInt32BE(NUMBER_BYTES)
  const hashAt = NUMBER_BYTES + COUNT_BYTES
  const genesisHash = Uint8Array.from(footer.subarray(hashAt, hashAt + WORD_BYTES))
  const placeAt = hashAt + WORD_BYTES
  const offset = footer.readUIntBE(placeAt, NUMBER_BYTES)
  const storedBytes = footer.readUInt32BE(placeAt + NUMBER_BYTES)
  const crc = footer.readUInt32BE(placeAt + NUMBER_BYTES + COUNT_BYTES)
  const isBounded = count > 0 && count <= MAX_SEGMENT_BLOCKS && storedBytes <= MAX_DIRECTORY_BYTES
  if (!isBounded || offset < MAGIC.length || offset + storedBytes + FOOTER_BYTES !== fileBytes)
    throw damaged('its footer names impossible lengths')
  const directory = { offset, storedBytes, crc }
  return { isOutline, mayHaveDictionary, first, count, genesisHash, directory }
}

/** `object` is given for an outline. */
export function encodeDirectory(
  directory: Readonly<Record<SegmentList, readonly ChunkPlace[]>>,
  object?: ArchivedObject,
): Uint8Array {
  const writer = new ValueWriter()
  if (object !== undefined) {
    writer.append(object.sha256)
    writer.varint(object.bytes)
  }
  const crcBytes = Buffer.alloc(CRC_BYTES)
  for (const name of LISTS) {
    writer.varint(directory[name].length)
    let last = 0
    for (const { first, offset, storedBytes, rawBytes, crc } of directory[name]) {
      writer.varint(first - last)
      writer.varint(offset)
      writer.varint(storedBytes)
      writer.varint(rawBytes)
      crcBytes.writeUInt32BE(crc)
      writer.append(crcBytes)
      last = first
    }
  }
  return writer.view()
}

/** Chunks must lie between the magic at the start and the directory. */
export function decodeDirectory(
  bytes: Uint8Array,
  { isOutline, mayHaveDictionary, directory: { offset } }: Footer,
  damaged: Damaged,
): Directory {
  const reader = new ValueReader(bytes, damaged)
  const object = isOutline
    ? { sha256: Uint8Array.from(reader.take(WORD_BYTES)), bytes: reader.varint() }
    : undefined
  const readList = (end: number, maxBytes: number): ChunkPlaces => {
    const length = reader.varint()
    if (length > reader.left / MIN_PLACE_BYTES) throw damaged('its directory is cut off')
    const places = new ChunkPlaces(length)
    let previous: ChunkPlace | undefined
    for (let at = 0; at < length; at++) {
      const place = readPlace(reader, previous, { end, maxBytes }, damaged)
      places.set(at, place)
      previous = place
    }
    return places
  }
  const readNamed = (name: SegmentList): ChunkPlaces => {
    if (name === 'contents') return readList(object?.bytes ?? offset, MAX_CHUNK_BYTES)
    if (name !== 'dictionary') return readList(offset, MAX_INDEX_CHUNK_BYTES)
    return mayHaveDictionary ? readList(offset, MAX_DICTIONARY_BYTES) : new ChunkPlaces(0)
  }
  const lists = Object.fromEntries(LISTS.map((name) => [name, readNamed(name)])) as Record<
    SegmentList,
    ChunkPlaces
  >
  if (lists.dictionary.length > MAX_DICTIONARIES) throw damaged('it has too many dictionaries')
  if (reader.left > 0) throw damaged('its directory is too long')
  return { ...lists, object }
}

function readPlace(
  reader: ValueReader,
  previous: ChunkPlace | undefined,
  { end, maxBytes }: { readonly end: number; readonly maxBytes: number },
  damaged: Damaged,
): ChunkPlace {
  const step = reader.varint()
  const place = {
    first: (previous?.first ?? 0) + step,
    offset: reader.varint(),
    storedBytes: reader.varint(),
    rawBytes: reader.varint(),
    crc: Buffer.from(reader.take(CRC_BYTES)).readUInt32BE(),
  }
  const { first, offset, storedBytes, rawBytes } = place
  // The chunks of a list follow each other, so no byte is decompressed again and again.
  const start = previous === undefined ? MAGIC.length : previous.offset + previous.storedBytes
  const isInside = offset >= start && offset + storedBytes <= end
  const isAscending = first <= MAX_KEY && (previous === undefined || step > 0)
  if (!isInside || !isAscending || storedBytes > rawBytes || rawBytes > maxBytes)
    throw damaged('its directory names an impossible chunk')
  return place
}

const KEY_BYTES = 6
/** The number of keys. */
export const KEYS = 2 ** 48
const MAX_KEY = KEYS - 1
/** The key of transactions without call trees in the indexes caller and callee: every search returns them. */
export const UNTRACED_KEY = MAX_KEY
const folded = Buffer.alloc(KEY_BYTES)

/** Folds a hash, address or topic to 48 bits. Readers compare the complete value with the block. */
export function foldedKey(value: Uint8Array): number {
  folded.fill(0)
  for (let index = 0; index < value.length; index++) folded[index % KEY_BYTES]! ^= value[index]!
  return folded.readUIntBE(0, KEY_BYTES)
}
