/** The few values about the store itself. */

import { metaKey, NUMBER_BYTES, WORD_BYTES } from './kv/keys.ts'
import type { KvBatch, KvReader } from './kv/kv.ts'
import { ValueReader, ValueWriter } from './kv/varint.ts'
import { EMPTY_ROOT } from './state/account-record.ts'
import type { BlockMark, HeadRecord, StorageFormat } from './store.ts'

export const SCHEMA_VERSION = 2

const SCHEMA = metaKey('schema')
const GENESIS = metaKey('genesis')
const SCHEDULE = metaKey('schedule')
const HEAD = metaKey('head')
const SAFE = metaKey('safe')
const FINALIZED = metaKey('finalized')
const LOWEST = metaKey('lowest')
const TRIE = metaKey('trie')
const TRACED = metaKey('traced')
const FIRST = metaKey('first')
const IMPORT = metaKey('import')

export interface Identity {
  readonly schemaVersion: number
  readonly format: StorageFormat
}

/** How far the trie on disk is behind the head, and where the flush goes on. */
export interface TrieMark {
  /** Of the last batch; grows with every one, also when blocks are unwound. */
  readonly version: number
  /** Every node on disk is at least as new as this block. */
  readonly behind: number
  readonly nextSlot: number
  /** Of the head, to compare with after a repair. */
  readonly root: Uint8Array
}

const FORMATS: readonly StorageFormat[] = ['BONSAI', 'FOREST']

export function readIdentity(kv: KvReader): Identity | undefined {
  const bytes = kv.get(SCHEMA)
  if (bytes === undefined) return undefined
  const reader = new ValueReader(bytes)
  return { schemaVersion: reader.varint(), format: FORMATS[reader.varint()] ?? 'BONSAI' }
}

export function writeIdentity(batch: KvBatch, { schemaVersion, format }: Identity): void {
  const writer = new ValueWriter()
  writer.varint(schemaVersion)
  writer.varint(FORMATS.indexOf(format))
  batch.put(SCHEMA, writer.view())
}

export function readGenesisHash(kv: KvReader): Uint8Array | undefined {
  return kv.get(GENESIS)
}

export function writeGenesisHash(batch: KvBatch, hash: Uint8Array): void {
  batch.put(GENESIS, hash)
}

export function readSchedule(kv: KvReader): string | undefined {
  const bytes = kv.get(SCHEDULE)
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8')
}

export function writeSchedule(batch: KvBatch, text: string): void {
  batch.put(SCHEDULE, Buffer.from(text, 'utf8'))
}

export function readHead(kv: KvReader): HeadRecord | undefined {
  const bytes = kv.get(HEAD)
  if (bytes === undefined) return undefined
  const reader = new ValueReader(bytes)
  const number = fixedNumber(reader.take(NUMBER_BYTES))
  return { number, hash: reader.take(WORD_BYTES), timestamp: reader.varint(), unwinds: reader.varint() }
}

export function writeHead(batch: KvBatch, head: HeadRecord): void {
  const writer = new ValueWriter()
  writer.append(markBytes(head))
  writer.varint(head.timestamp)
  writer.varint(head.unwinds)
  batch.put(HEAD, writer.view())
}

export function readMark(kv: KvReader, name: 'safe' | 'finalized'): BlockMark | undefined {
  const bytes = kv.get(name === 'safe' ? SAFE : FINALIZED)
  if (bytes === undefined) return undefined
  const reader = new ValueReader(bytes)
  return { number: fixedNumber(reader.take(NUMBER_BYTES)), hash: reader.take(WORD_BYTES) }
}

export function writeMark(batch: KvBatch, name: 'safe' | 'finalized', mark: BlockMark): void {
  batch.put(name === 'safe' ? SAFE : FINALIZED, markBytes(mark))
}

export function removeMark(batch: KvBatch, name: 'safe' | 'finalized'): void {
  batch.delete(name === 'safe' ? SAFE : FINALIZED)
}

/** Entries of history up to this block may be gone. */
export function readLowest(kv: KvReader): number {
  const bytes = kv.get(LOWEST)
  return bytes === undefined ? 0 : new ValueReader(bytes).varint()
}

export function writeLowest(batch: KvBatch, lowest: number): void {
  const writer = new ValueWriter()
  writer.varint(lowest)
  batch.put(LOWEST, writer.view())
}

/** undefined: no call tree is in the index. */
export function readTracedFrom(kv: KvReader): number | undefined {
  const bytes = kv.get(TRACED)
  return bytes === undefined ? undefined : new ValueReader(bytes).varint()
}

export function writeTracedFrom(batch: KvBatch, from: number): void {
  const writer = new ValueWriter()
  writer.varint(from)
  batch.put(TRACED, writer.view())
}

/** Of the blocks below this one, but for block 0, only headers are stored. */
export function readFirstBlock(kv: KvReader): number {
  const bytes = kv.get(FIRST)
  return bytes === undefined ? 0 : new ValueReader(bytes).varint()
}

export function writeFirstBlock(batch: KvBatch, first: number): void {
  const writer = new ValueWriter()
  writer.varint(first)
  batch.put(FIRST, writer.view())
}

/** How far the import of a state has come; only while one is under way. */
export function readImportMark(kv: KvReader): Uint8Array | undefined {
  return kv.get(IMPORT)
}

export function writeImportMark(batch: KvBatch, mark: Uint8Array): void {
  batch.put(IMPORT, mark)
}

export function removeImportMark(batch: KvBatch): void {
  batch.delete(IMPORT)
}

export function readTrieMark(kv: KvReader): TrieMark {
  const bytes = kv.get(TRIE)
  if (bytes === undefined) return { version: 0, behind: 0, nextSlot: 0, root: EMPTY_ROOT }
  const reader = new ValueReader(bytes)
  return {
    version: reader.varint(),
    behind: reader.varint(),
    nextSlot: reader.varint(),
    root: reader.take(WORD_BYTES),
  }
}

export function writeTrieMark(batch: KvBatch, mark: TrieMark): void {
  const writer = new ValueWriter()
  writer.varint(mark.version)
  writer.varint(mark.behind)
  writer.varint(mark.nextSlot)
  writer.append(mark.root)
  batch.put(TRIE, writer.view())
}

function markBytes({ number, hash }: BlockMark): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES + WORD_BYTES)
  bytes.writeUIntBE(number, 0, NUMBER_BYTES)
  bytes.set(hash, NUMBER_BYTES)
  return bytes
}

function fixedNumber(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).readUIntBE(0, NUMBER_BYTES)
}
