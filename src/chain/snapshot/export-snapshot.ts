/** Exports the head's state, its block and all headers for a node that starts from them. */

import { requireChainAt } from '#chain/ledger/ledger.ts'
import { Lookup } from '#chain/read/lookup.ts'
import { usageFault } from '#config/faults.ts'
import type { Log } from '#platform/log/log.ts'
import type { StoreReader } from '#store/reader.ts'
import { openStateExport, type StateExport } from '#store/snapshot/state-export.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { CHUNK, type ChunkKind, encodeChunk, SNAPSHOT_NAME } from './chunks.ts'
import {
  encodeAccount,
  encodeEnd,
  encodeHead,
  encodeSlot,
  type SnapshotEnd,
  type SnapshotHead,
} from './entries.ts'

export interface ExportRun {
  readonly write: (bytes: Uint8Array) => void
  readonly onProgress: (progress: SnapshotEnd & { readonly headers: number }) => void
  readonly log: Log
}

export interface ExportedSnapshot extends SnapshotEnd {
  readonly head: SnapshotHead
}

/** Approximate size of a chunk before compression. */
const CHUNK_BYTES = 1024 * 1024
/** Code hashes to remember; a forgotten code is written again. */
const CODES_MAX = 100_000

export async function exportSnapshot(
  database: { readonly path: string; readonly historyBlocks: number },
  run: ExportRun,
): Promise<ExportedSnapshot> {
  requireChainAt(database.path)
  const source = await openStateExport({ ...database, log: run.log }).catch((error: unknown) => {
    if (error instanceof Fault && error.kind === 'STORE_MISSING') throw usageFault(error.data.sentence)
    throw error
  })
  try {
    return writeSnapshot(source, run)
  } finally {
    await source.close()
  }
}

function writeSnapshot(source: StateExport, run: ExportRun): ExportedSnapshot {
  const { reader } = source
  const stored = reader.head()
  const genesis = reader.canonicalHash(0)
  if (stored === undefined || stored.number === 0 || genesis === undefined) {
    throw usageFault(
      'There is nothing to export: the chain has block 0 at most, which the genesis file says.',
    )
  }
  const { number } = stored
  const head = { genesisHash: hashFromBytes(genesis), number, hash: hashFromBytes(stored.hash) }
  const chunks = new ChunkWriter(run.write)
  run.write(SNAPSHOT_NAME)
  chunks.one(CHUNK.head, encodeHead(head))
  writeHeaders(new Lookup(reader), number, chunks, run)
  chunks.one(CHUNK.body, requireBlob(reader, 'body', head))
  chunks.one(CHUNK.receipts, requireBlob(reader, 'receipts', head))
  const counts = writeState(source, chunks, (progress) => run.onProgress({ ...progress, headers: number }))
  chunks.one(CHUNK.end, encodeEnd(counts))
  return { head, ...counts }
}

function writeHeaders(lookup: Lookup, last: number, chunks: ChunkWriter, { onProgress }: ExportRun): void {
  let headers: Uint8Array[] = []
  let bytes = 0
  for (let number = 1; number <= last; number++) {
    const header = lookup.encodedHeader(number)
    assert(header !== undefined, 'Every block up to the head has a header.')
    headers.push(header)
    bytes += header.length
    if (bytes < CHUNK_BYTES && number < last) continue
    chunks.one(CHUNK.headers, encodeRlpList(headers))
    onProgress({ headers: number, accounts: 0, slots: 0 })
    headers = []
    bytes = 0
  }
}

function requireBlob(
  reader: StoreReader,
  table: 'body' | 'receipts',
  { number, hash }: { readonly number: number; readonly hash: Hash },
): Uint8Array {
  const blob = reader.read(table, number, Buffer.from(hash.slice(2), 'hex'))
  assert(blob !== undefined, 'The head was executed, and is stored whole.')
  return blob
}

function writeState(
  source: StateExport,
  chunks: ChunkWriter,
  onProgress: (progress: SnapshotEnd) => void,
): SnapshotEnd {
  const codes = new Set<string>()
  let [accounts, slots] = [0, 0]
  const add = (entry: Uint8Array): void => {
    if (chunks.add(CHUNK.state, entry)) onProgress({ accounts, slots })
  }
  for (const account of source.accounts()) {
    add(encodeAccount({ ...account, code: codeOf(source, codes, account.codeHash) }))
    accounts++
    for (const slot of account.slots()) {
      add(encodeSlot(slot))
      slots++
    }
  }
  chunks.flush(CHUNK.state)
  return { accounts, slots }
}

/** Returns the code itself the first time it appears. */
function codeOf(source: StateExport, known: Set<string>, hash: Uint8Array | undefined) {
  if (hash === undefined) return undefined
  const text = Buffer.from(hash).toString('latin1')
  if (known.has(text)) return { hash }
  if (known.size >= CODES_MAX) known.clear()
  known.add(text)
  return { bytes: source.code(hash) }
}

class ChunkWriter {
  readonly #write: (bytes: Uint8Array) => void
  #entries: Uint8Array[] = []
  #bytes = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  one(kind: ChunkKind, content: Uint8Array): void {
    this.#write(encodeChunk(kind, content))
  }

  /** Returns true if the entry completed a chunk. */
  add(kind: ChunkKind, entry: Uint8Array): boolean {
    this.#entries.push(entry)
    this.#bytes += entry.length
    if (this.#bytes < CHUNK_BYTES) return false
    this.flush(kind)
    return true
  }

  flush(kind: ChunkKind): void {
    if (this.#entries.length > 0) this.one(kind, Buffer.concat(this.#entries))
    this.#entries = []
    this.#bytes = 0
  }
}
