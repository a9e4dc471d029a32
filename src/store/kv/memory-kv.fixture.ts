/**
 * LevelDB's semantics in memory, for unit tests without files and for crashes. Unsynced batches are kept apart until
 * a synced one follows, and `crash` loses any suffix of them.
 */

import { storeFault } from '#store/faults.ts'
import { compareBytes } from '#types/bytes.ts'
import type { Kv, KvBatch, KvEntry, KvRange, KvSnapshot } from './kv.ts'

type Operation = readonly [key: string, value: Uint8Array | undefined]

export interface MemoryKv extends Kv {
  /** The database after a power failure: synced batches and the first `unsyncedKept` later ones. */
  crash(unsyncedKept?: number): MemoryKv
  /** Makes every write after this many more fail as on a full disk. */
  failAfter(writes: number): void
  readonly entries: number
  readonly unsyncedBatches: number
}

export function createMemoryKv(): MemoryKv {
  return openMemoryKv(new Map())
}

function openMemoryKv(initial: Map<string, Uint8Array>): MemoryKv {
  let current = initial
  /** The inverse of each unsynced batch, newest last. */
  let undo: Operation[][] = []
  let isShared = false
  let writesLeft = Number.POSITIVE_INFINITY
  let isClosed = false

  const requireOpen = (): void => {
    if (isClosed) throw storeFault('STORE_CLOSED', { sentence: 'The database is closed.' })
  }
  const write = async (operations: Operation[], sync: boolean): Promise<void> => {
    requireOpen()
    if (--writesLeft < 0) throw storeFault('DISK_FULL', { sentence: 'The disk is full.' })
    // As in LevelDB, a write becomes visible some time after the call.
    await Promise.resolve()
    if (isShared) current = new Map(current)
    isShared = false
    undo.push(apply(current, operations))
    if (sync) undo = []
  }

  return {
    get: (key) => {
      requireOpen()
      return current.get(keyText(key))?.slice()
    },
    requireRoom: () => {},
    snapshot: () => {
      isShared = true
      return createSnapshot(current)
    },
    range: (range) => iterate(current, range),
    batch: () => createBatch(write),
    close: async () => {
      isClosed = true
    },
    compact: async () => undefined,
    crash(unsyncedKept = 0) {
      for (const batch of undo.slice(unsyncedKept).reverse()) apply(current, batch)
      isClosed = true
      return openMemoryKv(current)
    },
    failAfter(writes) {
      writesLeft = writes
    },
    get entries() {
      return current.size
    },
    get unsyncedBatches() {
      return undo.length
    },
  }
}

function createSnapshot(frozen: ReadonlyMap<string, Uint8Array>): KvSnapshot {
  return { get: (key) => frozen.get(keyText(key))?.slice(), close: () => undefined }
}

function createBatch(write: (operations: Operation[], sync: boolean) => Promise<void>): KvBatch {
  const operations: Operation[] = []
  const batch = {
    bytes: 0,
    put(key: Uint8Array, value: Uint8Array): void {
      // Not slice: a Buffer's slice shares its memory.
      operations.push([keyText(key), new Uint8Array(value)])
      batch.bytes += key.length + value.length
    },
    delete(key: Uint8Array): void {
      operations.push([keyText(key), undefined])
      batch.bytes += key.length
    },
    write: ({ sync }: { readonly sync: boolean }) => write(operations, sync),
  }
  return batch
}

async function* iterate(
  map: ReadonlyMap<string, Uint8Array>,
  { gte, lt, limit, reverse = false }: KvRange,
): AsyncIterable<KvEntry> {
  const found: KvEntry[] = []
  for (const [text, value] of map) {
    const key = Uint8Array.from(Buffer.from(text, 'latin1'))
    if (compareBytes(key, gte) >= 0 && compareBytes(key, lt) < 0) found.push([key, value.slice()])
  }
  found.sort((a, b) => compareBytes(a[0], b[0]) * (reverse ? -1 : 1))
  yield* found.slice(0, limit)
}

/** Returns the inverse operations. */
function apply(map: Map<string, Uint8Array>, operations: readonly Operation[]): Operation[] {
  const undo: Operation[] = []
  for (const [key, value] of operations) {
    undo.push([key, map.get(key)])
    if (value === undefined) map.delete(key)
    else map.set(key, value)
  }
  return undo.reverse()
}

function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
}
