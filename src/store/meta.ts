/** Metadata of the store. */

import { metaKey, NUMBER_BYTES, numberAt, WORD_BYTES } from './kv/keys.ts'
import type { KvBatch, KvReader } from './kv/kv.ts'
import { ValueReader, ValueWriter } from './kv/varint.ts'
import { EMPTY_ROOT } from './state/account-record.ts'
import type { BlockMark, HeadRecord, StorageFormat } from './store.ts'

const SCHEMA_VERSION = 2
/** Written with the first moved block: earlier versions would miss the moved blocks. */
const SEGMENT_SCHEMA_VERSION = 3
/** Written to archives of states: earlier versions would miss nodes and packed keys. */
const ANCHOR_SCHEMA_VERSION = 4
export const LATEST_SCHEMA_VERSION = ANCHOR_SCHEMA_VERSION

export interface Identity {
  readonly schemaVersion: number
  readonly format: StorageFormat
}

/** How far the trie on disk is behind the head, and the next slot to flush. */
export interface TrieMark {
  /** Version of the last batch; grows with every batch, also on rewinds. */
  readonly version: number
  /** Every node on disk is at least as new as this block. */
  readonly behind: number
  readonly nextSlot: number
  /** Root of the head, compared after a repair. */
  readonly root: Uint8Array
}

/** Present only in the database of a development network. */
export interface Development {
  /** Grows with every change of the pending edits. */
  readonly version: number
  /** Number of pending edits. */
  readonly pending: number
  /** The last id of a savepoint; an id is used once. */
  readonly lastSavepoint: number
}

/** Names the blocks that left the database for segments. */
export interface MovedMark {
  /** Blocks before this one are in segments. */
  readonly end: number
  /** Entries of blocks before this one are deleted. */
  readonly cleared: number
  readonly segmentBlocks: number
}

interface Entry<Value> {
  /** Returns undefined if it was never written. */
  read(kv: KvReader): Value | undefined
  write(batch: KvBatch, value: Value): void
  remove(batch: KvBatch): void
}

const FORMATS: readonly StorageFormat[] = ['BONSAI', 'FOREST']

const NO_TRIES: TrieMark = { version: 0, behind: 0, nextSlot: 0, root: EMPTY_ROOT }

export const META = {
  identity: entry<Identity>(
    'schema',
    (reader) => ({ schemaVersion: reader.varint(), format: FORMATS[reader.varint()] ?? 'BONSAI' }),
    (writer, { schemaVersion, format }) => {
      writer.varint(schemaVersion)
      writer.varint(FORMATS.indexOf(format))
    },
  ),
  genesisHash: bytes('genesis'),
  /** The fork schedule as text. */
  schedule: entry<string>(
    'schedule',
    (reader) => Buffer.from(reader.rest()).toString('utf8'),
    (writer, text) => writer.append(Buffer.from(text, 'utf8')),
  ),
  head: entry<HeadRecord>(
    'head',
    (reader) => ({ ...readMark(reader), timestamp: reader.varint(), unwinds: reader.varint() }),
    (writer, head) => {
      writeMark(writer, head)
      writer.varint(head.timestamp)
      writer.varint(head.unwinds)
    },
  ),
  safe: entry<BlockMark>('safe', readMark, writeMark),
  finalized: entry<BlockMark>('finalized', readMark, writeMark),
  /** History up to this block may be gone. */
  lowest: number('lowest'),
  /** Undefined if no call tree is indexed. */
  tracedFrom: number('traced'),
  /** Blocks below this one, except block 0, have only headers, or will when a command that drops them continues. */
  firstBlock: number('first'),
  /** Undefined if no block was moved. */
  moved: entry<MovedMark>(
    'moved',
    (reader) => ({ end: reader.varint(), cleared: reader.varint(), segmentBlocks: reader.varint() }),
    (writer, { end, cleared, segmentBlocks }) => {
      writer.varint(end)
      writer.varint(cleared)
      writer.varint(segmentBlocks)
    },
  ),
  /** Changed keys of blocks before this one are packed. */
  packed: number('packed'),
  /** Numbers of blocks in the indexes of hashes; the first index begins with block 0, and the others follow. */
  hashed: entry<readonly number[]>(
    'hashed',
    (reader) => {
      const sizes: number[] = []
      while (reader.left > 0) sizes.push(reader.varint())
      return sizes
    },
    (writer, sizes) => {
      for (const blocks of sizes) writer.varint(blocks)
    },
  ),
  /** Progress of a state import; present only while one is under way. */
  import: bytes('import'),
  development: entry<Development>(
    'development',
    (reader) => ({ version: reader.varint(), pending: reader.varint(), lastSavepoint: reader.varint() }),
    (writer, { version, pending, lastSavepoint }) => {
      writer.varint(version)
      writer.varint(pending)
      writer.varint(lastSavepoint)
    },
  ),
  trie: entry<TrieMark>(
    'trie',
    (reader) => ({
      version: reader.varint(),
      behind: reader.varint(),
      nextSlot: reader.varint(),
      root: reader.take(WORD_BYTES),
    }),
    (writer, mark) => {
      writer.varint(mark.version)
      writer.varint(mark.behind)
      writer.varint(mark.nextSlot)
      writer.append(mark.root)
    },
  ),
}

/** The lowest version that can read and continue the database. */
export function schemaVersionOf(format: StorageFormat, hasMovedBlocks: boolean): number {
  if (format === 'FOREST') return ANCHOR_SCHEMA_VERSION
  return hasMovedBlocks ? SEGMENT_SCHEMA_VERSION : SCHEMA_VERSION
}

export function readTrieMark(kv: KvReader): TrieMark {
  return META.trie.read(kv) ?? NO_TRIES
}

function entry<Value>(
  name: string,
  decode: (reader: ValueReader) => Value,
  encode: (writer: ValueWriter, value: Value) => void,
): Entry<Value> {
  const key = metaKey(name)
  return {
    read: (kv) => {
      const stored = kv.get(key)
      return stored && decode(new ValueReader(stored))
    },
    write: (batch, value) => {
      const writer = new ValueWriter()
      encode(writer, value)
      batch.put(key, writer.view())
    },
    remove: (batch) => batch.delete(key),
  }
}

function number(name: string): Entry<number> {
  return entry<number>(
    name,
    (reader) => reader.varint(),
    (writer, value) => writer.varint(value),
  )
}

function bytes(name: string): Entry<Uint8Array> {
  return entry<Uint8Array>(
    name,
    (reader) => reader.rest(),
    (writer, value) => writer.append(value),
  )
}

function readMark(reader: ValueReader): BlockMark {
  return { number: numberAt(reader.take(NUMBER_BYTES), 0), hash: reader.take(WORD_BYTES) }
}

function writeMark(writer: ValueWriter, { number, hash }: BlockMark): void {
  const fixed = Buffer.alloc(NUMBER_BYTES)
  fixed.writeUIntBE(number, 0, NUMBER_BYTES)
  writer.append(fixed)
  writer.append(hash)
}
