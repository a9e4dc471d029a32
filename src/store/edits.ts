/**
 * Direct edits of the state, on development networks only. An edit is a change set (types/state-changes.ts) that the next
 * block applies before its transactions. Until then it is pending; afterwards it is stored with the block, for replays.
 */
import { assert } from '#types/assert.ts'
import { decodeRlp, encodeRlp } from '#types/rlp.ts'
import { corruptFault } from './faults.ts'
import { decodeBlob, encodeBlob, MAX_BLOB_BYTES } from './kv/blob.ts'
import { blockKey, NUMBER_BYTES, numberAt, numberKey, TABLE, WORD_BYTES } from './kv/keys.ts'
import type { KvBatch, KvReader } from './kv/kv.ts'
import { ValueReader, ValueWriter } from './kv/varint.ts'
import { type Development, META } from './meta.ts'

export interface Edits {
  /** Equal for equal edits after the same block. */
  readonly version: string
  /** In order. */
  readonly changes: readonly Uint8Array[]
}

/** A position of the chain to which it can be rewound: a block, and the edits made after it. */
export interface Savepoint {
  readonly number: number
  readonly hash: Uint8Array
  readonly edits: number
}

/** `known` is returned again if nothing changed. */
export function editsAfter(kv: KvReader, number: number, known: Edits | undefined): Edits {
  const child = kv.get(numberKey(TABLE.canonical, number + 1))
  if (child !== undefined) {
    const version = Buffer.from(child).toString('hex')
    if (known?.version === version) return known
    const stored = kv.get(blockKey(TABLE.edits, number + 1, child))
    return { version, changes: stored === undefined ? [] : decodeEdits(decodeBlob(stored)) }
  }
  const development = requireDevelopment(kv)
  const version = String(development.version)
  if (known?.version === version) return known
  const changes = Array.from({ length: development.pending }, (_, index) => {
    const stored = kv.get(numberKey(TABLE.pendingEdit, index))
    if (stored === undefined) throw corruptFault(`pending edit ${index} is not there`)
    return decodeBlob(stored)
  })
  return { version, changes }
}

export function encodeEdits(changes: readonly Uint8Array[]): Uint8Array {
  return encodeRlp([...changes])
}

export function decodeEdits(bytes: Uint8Array): Uint8Array[] {
  const decoded = decodeRlp(bytes, { maxBytes: MAX_BLOB_BYTES, maxItems: MAX_BLOB_BYTES })
  if (!Array.isArray(decoded) || !decoded.every((each) => each instanceof Uint8Array)) {
    throw corruptFault('the edits of a block are not a list')
  }
  return decoded
}

export function requireDevelopment(kv: KvReader): Development {
  const development = META.development.read(kv)
  assert(development !== undefined, 'Only the state of a development network is edited.')
  return development
}

export function readSavepoint(kv: KvReader, id: number): Savepoint | undefined {
  const stored = kv.get(numberKey(TABLE.savepoint, id))
  if (stored === undefined) return undefined
  const reader = new ValueReader(stored)
  return {
    number: numberAt(reader.take(NUMBER_BYTES), 0),
    hash: reader.take(WORD_BYTES),
    edits: reader.varint(),
  }
}

export function writeSavepoint(batch: KvBatch, id: number, { number, hash, edits }: Savepoint): void {
  const writer = new ValueWriter()
  const fixed = Buffer.alloc(NUMBER_BYTES)
  fixed.writeUIntBE(number, 0, NUMBER_BYTES)
  writer.append(fixed)
  writer.append(hash)
  writer.varint(edits)
  batch.put(numberKey(TABLE.savepoint, id), writer.view())
}

/** Replaces the pending edits from index `from` on. */
export function writePending(
  batch: KvBatch,
  kv: KvReader,
  from: number,
  changes: readonly Uint8Array[],
): void {
  const development = requireDevelopment(kv)
  const pending = from + changes.length
  for (const [index, each] of changes.entries()) {
    batch.put(numberKey(TABLE.pendingEdit, from + index), encodeBlob(each))
  }
  for (let index = pending; index < development.pending; index++) {
    batch.delete(numberKey(TABLE.pendingEdit, index))
  }
  META.development.write(batch, { ...development, version: development.version + 1, pending })
}
