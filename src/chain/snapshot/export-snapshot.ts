/** The state of the head with its block and all headers, for a node that shall begin there. */
import { Lookup } from '#chain/read/lookup.ts'
import { usageFault } from '#config/faults.ts'
import { kindOfPath } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { openStateExport, type StateExport } from '#store/snapshot/state-export.ts'
import type { StoreReader } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'
import { encodeRlpList } from '#types/rlp.ts'
import { encodeFrame, FRAME, type FrameKind, SNAPSHOT_NAME } from './frames.ts'
import {
  encodeAccount,
  encodeEnd,
  encodeHead,
  encodeSlot,
  type SnapshotEnd,
  type SnapshotHead,
} from './records.ts'

export interface ExportRun {
  readonly write: (bytes: Uint8Array) => void
  readonly onProgress: (progress: SnapshotEnd & { readonly headers: number }) => void
  readonly log: Log
}

export interface ExportedSnapshot extends SnapshotEnd {
  readonly head: SnapshotHead
}

/** What a frame holds about. */
const FRAME_BYTES = 1024 * 1024
/** Codes that are remembered; one that was forgotten is written once more. */
const CODES_MAX = 100_000

export async function exportSnapshot(
  database: { readonly path: string; readonly historyBlocks: number },
  run: ExportRun,
): Promise<ExportedSnapshot> {
  if (kindOfPath(database.path) === undefined) {
    throw usageFault(`There is no chain at ${database.path}; name the node's directory with --data-path.`)
  }
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
  const frames = new FrameWriter(run.write)
  run.write(SNAPSHOT_NAME)
  frames.one(FRAME.head, encodeHead(head))
  writeHeaders(new Lookup(reader), number, frames, run)
  frames.one(FRAME.body, requireBlob(reader, 'body', head))
  frames.one(FRAME.receipts, requireBlob(reader, 'receipts', head))
  const counts = writeState(source, frames, (progress) => run.onProgress({ ...progress, headers: number }))
  frames.one(FRAME.end, encodeEnd(counts))
  return { head, ...counts }
}

function writeHeaders(lookup: Lookup, last: number, frames: FrameWriter, { onProgress }: ExportRun): void {
  let headers: Uint8Array[] = []
  let bytes = 0
  for (let number = 1; number <= last; number++) {
    const header = lookup.encodedHeader(number)
    assert(header !== undefined, 'Every block up to the head has a header.')
    headers.push(header)
    bytes += header.length
    if (bytes < FRAME_BYTES && number < last) continue
    frames.one(FRAME.headers, encodeRlpList(headers))
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
  frames: FrameWriter,
  onProgress: (progress: SnapshotEnd) => void,
): SnapshotEnd {
  const codes = new Set<string>()
  let [accounts, slots] = [0, 0]
  const add = (entry: Uint8Array): void => {
    if (frames.add(FRAME.state, entry)) onProgress({ accounts, slots })
  }
  for (const account of source.accounts()) {
    add(encodeAccount({ ...account, code: codeOf(source, codes, account.codeHash) }))
    accounts++
    for (const slot of account.slots()) {
      add(encodeSlot(slot))
      slots++
    }
  }
  frames.flush(FRAME.state)
  return { accounts, slots }
}

/** The code itself where it is met first. */
function codeOf(source: StateExport, known: Set<string>, hash: Uint8Array | undefined) {
  if (hash === undefined) return undefined
  const text = Buffer.from(hash).toString('latin1')
  if (known.has(text)) return { hash }
  if (known.size >= CODES_MAX) known.clear()
  known.add(text)
  return { bytes: source.code(hash) }
}

class FrameWriter {
  readonly #write: (bytes: Uint8Array) => void
  #entries: Uint8Array[] = []
  #bytes = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  one(kind: FrameKind, content: Uint8Array): void {
    this.#write(encodeFrame(kind, content))
  }

  /** Whether a frame became full with it. */
  add(kind: FrameKind, entry: Uint8Array): boolean {
    this.#entries.push(entry)
    this.#bytes += entry.length
    if (this.#bytes < FRAME_BYTES) return false
    this.flush(kind)
    return true
  }

  flush(kind: FrameKind): void {
    if (this.#entries.length > 0) this.one(kind, Buffer.concat(this.#entries))
    this.#entries = []
    this.#bytes = 0
  }
}
