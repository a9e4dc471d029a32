/**
 * Era files (`.era1`): up to 8,192 blocks with receipts and total difficulties, as geth writes and reads them.
 * docs/internals/wire/era.md is the specification. Files come from anywhere, so reading trusts nothing.
 */
import { closeSync, fstatSync } from 'node:fs'
import { openToRead } from '#cli/read-text.ts'
import { readAt } from '#platform/files/files.ts'
import { joinBlock, MAX_BLOCK_BYTES } from '#types/block/block.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { decodeHeader } from '#types/block/block-header.ts'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes } from '#types/hash.ts'
import {
  accumulatorOf,
  ERA_BLOCKS,
  type HeaderEntry,
  littleEndianWord,
  wordFromLittleEndian,
} from './accumulator.ts'
import { decodeFrames, encodeFrames } from './snappy-frames.ts'

const TYPE = {
  version: 0x3265,
  header: 0x03,
  body: 0x04,
  receipts: 0x05,
  totalDifficulty: 0x06,
  accumulator: 0x07,
  blockIndex: 0x3266,
} as const
type EntryType = (typeof TYPE)[keyof typeof TYPE]

/** Type 2, length 4, reserved 2. */
const ENTRY_HEADER_BYTES = 8
/** Geth's limit of a value. */
const MAX_ENTRY_BYTES = 50 * 1024 * 1024
const NUMBER_BYTES = 8
const WORD_BYTES = 32
/** Start number and count around the offsets. */
const INDEX_FIXED_BYTES = 2 * NUMBER_BYTES

export interface EraBlock extends HeaderEntry {
  readonly number: number
  readonly header: Uint8Array
  readonly body: Uint8Array
  /** A list of receipts with blooms, those with a type as strings. */
  readonly receipts: Uint8Array
}

/** Collects the bytes of one file. */
export class EraWriter {
  readonly #append: (bytes: Uint8Array) => void
  readonly #offsets: number[] = []
  readonly #headers: HeaderEntry[] = []
  #first = 0
  #written = 0

  constructor(append: (bytes: Uint8Array) => void) {
    this.#append = append
  }

  get isFull(): boolean {
    return this.#headers.length === ERA_BLOCKS
  }

  /** Blocks are added in ascending order. */
  add({ number, hash, header, body, receipts, totalDifficulty }: EraBlock): void {
    if (this.#headers.length === 0) {
      this.#first = number
      this.#entry(TYPE.version, new Uint8Array(0))
    }
    this.#offsets.push(this.#written)
    this.#headers.push({ hash, totalDifficulty })
    this.#entry(TYPE.header, encodeFrames(header))
    this.#entry(TYPE.body, encodeFrames(body))
    this.#entry(TYPE.receipts, encodeFrames(receipts))
    this.#entry(TYPE.totalDifficulty, littleEndianWord(totalDifficulty))
  }

  /** Returns the accumulator, which names the file. */
  finish(): Uint8Array {
    const accumulator = accumulatorOf(this.#headers)
    this.#entry(TYPE.accumulator, accumulator)
    const count = this.#offsets.length
    const index = Buffer.alloc(INDEX_FIXED_BYTES + NUMBER_BYTES * count)
    index.writeBigUInt64LE(BigInt(this.#first))
    for (const [at, offset] of this.#offsets.entries())
      index.writeBigInt64LE(BigInt(offset - this.#written), NUMBER_BYTES * (1 + at))
    index.writeBigUInt64LE(BigInt(count), NUMBER_BYTES * (1 + count))
    this.#entry(TYPE.blockIndex, index)
    return accumulator
  }

  #entry(type: EntryType, value: Uint8Array): void {
    const header = Buffer.alloc(ENTRY_HEADER_BYTES)
    header.writeUInt16LE(type)
    header.writeUInt32LE(value.length, 2)
    this.#append(header)
    this.#append(value)
    this.#written += header.length + value.length
  }
}

/** The bytes of an era file, wherever they are. */
export interface EraSource {
  readonly name: string
  readonly bytes: number
  /** Returns fewer bytes at the end. */
  read(offset: number, length: number): Uint8Array
}

/** Yields each block in the encoding of block files. */
export function* readEraFile(path: string, hashBlock: HashBlock): Generator<Uint8Array, void, undefined> {
  const fd = openToRead(path)
  try {
    const read = (offset: number, length: number) => readAt(fd, length, offset)
    yield* readEra({ name: path, bytes: fstatSync(fd).size, read }, hashBlock)
  } finally {
    closeSync(fd)
  }
}

/** Throws BLOCKS_FILE_INVALID if the file is damaged: the frames have checksums, and the accumulator covers all headers. */
export function* readEra(source: EraSource, hashBlock: HashBlock): Generator<Uint8Array, void, undefined> {
  const entries = new EntryReader(source)
  entries.take(TYPE.version, 0)
  const headers: HeaderEntry[] = []
  const offsets: number[] = []
  let first: bigint | undefined
  while (entries.nextType() === TYPE.header) {
    if (headers.length === ERA_BLOCKS) throw entries.invalid(`it has more than ${ERA_BLOCKS} blocks`)
    offsets.push(entries.offset)
    const encoded = entries.frames(TYPE.header)
    const body = entries.frames(TYPE.body)
    // Importing a block computes its receipts, so those of the file are not needed.
    entries.take(TYPE.receipts, MAX_ENTRY_BYTES)
    const totalDifficulty = wordFromLittleEndian(entries.word(TYPE.totalDifficulty))
    const header = entries.decode(() => decodeHeader(encoded))
    first ??= header.number
    headers.push({ hash: hashToBytes(hashBlock(header)), totalDifficulty })
    yield joinBlock(encoded, body)
  }
  if (first === undefined) throw entries.invalid('it has no blocks')
  while (entries.nextType() !== TYPE.accumulator) entries.skip()
  if (!equalBytes(entries.word(TYPE.accumulator), accumulatorOf(headers)))
    throw entries.invalid('its accumulator does not match its headers')
  entries.requireIndex(first, offsets)
}

class EntryReader {
  offset = 0
  readonly #source: EraSource

  constructor(source: EraSource) {
    this.#source = source
  }

  invalid(what: string) {
    return new Fault('BLOCKS_FILE_INVALID', {
      sentence: `${this.#source.name} is not an era file: ${what}.`,
    })
  }

  nextType(): number {
    return this.#header().type
  }

  take(type: EntryType, maxBytes: number): Uint8Array {
    const { type: found, length } = this.#header()
    if (found !== type)
      throw this.invalid(`byte ${this.offset} begins an entry of type ${found}, not ${type}`)
    if (length > maxBytes) throw this.invalid(`the entry at byte ${this.offset} has ${length} bytes`)
    const value = this.#source.read(this.offset + ENTRY_HEADER_BYTES, length)
    if (value.length !== length) throw this.invalid('it is cut off')
    this.offset += ENTRY_HEADER_BYTES + length
    return value
  }

  frames(type: EntryType): Uint8Array {
    return this.decode(() => decodeFrames(this.take(type, MAX_ENTRY_BYTES), MAX_BLOCK_BYTES))
  }

  word(type: EntryType): Uint8Array {
    const value = this.take(type, WORD_BYTES)
    if (value.length !== WORD_BYTES) throw this.invalid(`an entry of type ${type} has ${value.length} bytes`)
    return value
  }

  skip(): void {
    const { length } = this.#header()
    this.offset += ENTRY_HEADER_BYTES + length
  }

  decode<Value>(decode: () => Value): Value {
    try {
      return decode()
    } catch (cause) {
      if (!(cause instanceof Fault) || cause.kind === 'BLOCKS_FILE_INVALID') throw cause
      throw this.invalid(`a block cannot be decoded (${cause.message})`)
    }
  }

  /** The index repeats what the entries say, and ends the file. */
  requireIndex(first: bigint, offsets: readonly number[]): void {
    const base = this.offset
    const bytes = INDEX_FIXED_BYTES + NUMBER_BYTES * offsets.length
    const value = this.take(TYPE.blockIndex, bytes)
    const index = Buffer.from(value.buffer, value.byteOffset, value.length)
    const isRight =
      index.length === bytes &&
      index.readBigUInt64LE() === first &&
      index.readBigUInt64LE(bytes - NUMBER_BYTES) === BigInt(offsets.length) &&
      offsets.every((offset, at) => index.readBigInt64LE(NUMBER_BYTES * (1 + at)) === BigInt(offset - base))
    if (!isRight) throw this.invalid('its block index does not match its blocks')
    if (this.offset !== this.#source.bytes) throw this.invalid('it continues after its block index')
  }

  #header(): { readonly type: number; readonly length: number } {
    const bytes = this.#source.read(this.offset, ENTRY_HEADER_BYTES)
    if (bytes.length < ENTRY_HEADER_BYTES) throw this.invalid('it is cut off')
    const header = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    return { type: header.readUInt16LE(), length: header.readUInt32LE(2) }
  }
}
