/**
 * The ordered key-value database: LevelDB through classic-level. No other file depends on it, so it can be replaced.
 * All threads of the process share one database; the first opener's options win, so the main thread opens first and
 * closes last.
 */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ClassicLevel, type Snapshot } from 'classic-level'
import { ensureDirectory, syncDirectory } from '#platform/files/files.ts'
import { identityOf, noteClosed, noteOpen } from '#store/damage.ts'
import { DiskReserve, WRITE_BUFFER_BYTES } from '#store/disk-reserve.ts'
import { corruptFault, missingFault, type StoreFaultKind, storeFault } from '#store/faults.ts'
import { refuseUnfinishedRestore, requireOwnDirectory } from '#store/inspect-directory.ts'
import { WriteCount } from './write-count.ts'

export interface KvReader {
  /** The caller owns the value; `key` may be reused after the call. */
  get(key: Uint8Array): Uint8Array | undefined
  /** Undefined if batches of other threads are not counted. */
  readonly writes?: WriteCount | undefined
}

/** A view of one moment. Close it within a second, because it blocks clean-up in the database. */
export interface KvSnapshot extends KvReader {
  close(): void
}

export interface KvRange {
  readonly gte: Uint8Array
  readonly lt: Uint8Array
  readonly limit: number
  readonly reverse?: boolean
}

export type KvEntry = readonly [key: Uint8Array, value: Uint8Array]

export interface KvBatch {
  /** Copies both. */
  put(key: Uint8Array, value: Uint8Array): void
  delete(key: Uint8Array): void
  /** Bytes of keys and values so far. */
  readonly bytes: number
  /**
   * Writes all or nothing. A synced batch is on the device when this resolves; an unsynced one may be lost with the
   * power, but never torn.
   */
  write(options: { readonly sync: boolean }): Promise<void>
}

export interface Kv extends KvReader {
  /** Undefined in memory. */
  readonly segmentFolder?: string | undefined
  snapshot(): KvSnapshot
  range(range: KvRange): AsyncIterable<KvEntry>
  batch(): KvBatch
  /** Throws if so many bytes might not fit on the disk. Called before anything changes: see DiskReserve. */
  requireRoom(bytes: number): void
  /** Rewrites the tables of the range without overwritten and deleted entries. Safe to interrupt. */
  compact(gte: Uint8Array, lt: Uint8Array): Promise<void>
  close(): Promise<void>
}

export interface KvOptions {
  readonly cacheBytes?: number | undefined
  /** Bytes buffered in memory and one log before a table is written. Small in crash tests. */
  readonly writeBufferBytes?: number
  /** If false, a missing database is a fault. */
  readonly createIfMissing: boolean
  /** The memory of a `WriteCount` that the writer and all readers share. */
  readonly writes?: SharedArrayBuffer | undefined
}

/** Measured: with these values a block of 200 transactions commits in 2 ms. */
const DEFAULT_CACHE_BYTES = 512 * 1024 * 1024
/** Maximum memory of an open database in addition to the process: cache, current buffer and the one being written. */
export const DATABASE_MEMORY_BYTES = DEFAULT_CACHE_BYTES + 2 * WRITE_BUFFER_BYTES
const FILE_BYTES = 32 * 1024 * 1024
/** Files that LevelDB keeps open; each costs a descriptor. */
const OPEN_FILES_MAX = 1000
/** Entries fetched from the database thread at once. */
const RANGE_CHUNK = 500

/** Holds the blocks that left the database, next to LevelDB's files. */
export const SEGMENT_FOLDER = 'segments'

type Level = ClassicLevel<Uint8Array, Uint8Array>

export async function openLevelKv(path: string, options: KvOptions): Promise<Kv> {
  refuseUnfinishedRestore(path)
  if (options.createIfMissing) ensureDirectory(path)
  // LevelDB would create the folder before it finds no database, or fail at its lock without a parent folder.
  else if (!existsSync(path)) throw missingFault(path)
  requireOwnDirectory(path)
  // Threads share a database that they open under the same name; under two names it would be opened twice.
  const level: Level = new ClassicLevel(realpathSync.native(path), {
    keyEncoding: 'view',
    valueEncoding: 'view',
  })
  try {
    await level.open({
      multithreading: true,
      createIfMissing: options.createIfMissing,
      cacheSize: options.cacheBytes ?? DEFAULT_CACHE_BYTES,
      writeBufferSize: options.writeBufferBytes ?? WRITE_BUFFER_BYTES,
      maxFileSize: FILE_BYTES,
      maxOpenFiles: OPEN_FILES_MAX,
      // Hashes do not compress, and the store compresses blobs itself.
      compression: false,
    })
    // Opening creates directory entries, and LevelDB does not sync the last of them.
    if (options.createIfMissing) syncDirectory(path)
  } catch (cause) {
    throw openFault(path, cause)
  }
  const reserve = new DiskReserve(path, options.writeBufferBytes ?? WRITE_BUFFER_BYTES)
  const writes = options.writes && new WriteCount(options.writes)
  return new LevelKv(level, reserve, path, writes)
}

/** Opens the database for `use`, and closes it if that fails. */
export async function openLevelKvFor<Opened>(
  path: string,
  options: KvOptions,
  use: (kv: Kv) => Promise<Opened>,
): Promise<Opened> {
  const kv = await openLevelKv(path, options)
  try {
    return await use(kv)
  } catch (error) {
    await kv.close()
    throw error
  }
}

class LevelKv implements Kv {
  readonly segmentFolder: string
  readonly #level: Level
  readonly #reserve: DiskReserve
  readonly #identity: string
  readonly writes: WriteCount | undefined

  constructor(level: Level, reserve: DiskReserve, path: string, writes: WriteCount | undefined) {
    this.#level = level
    this.#reserve = reserve
    this.#identity = identityOf(path)
    this.segmentFolder = join(path, SEGMENT_FOLDER)
    this.writes = writes
    noteOpen(this.#identity)
  }

  get(key: Uint8Array, options: { readonly snapshot?: Snapshot } = {}): Uint8Array | undefined {
    try {
      return this.#level.getSync(key, options)
    } catch (cause) {
      throw readFault(cause)
    }
  }

  snapshot(): KvSnapshot {
    const snapshot: Snapshot = this.#level.snapshot()
    const options = { snapshot }
    return { get: (key) => this.get(key, options), close: () => void snapshot.close() }
  }

  async *range({ gte, lt, limit, reverse = false }: KvRange): AsyncIterable<KvEntry> {
    const iterator = this.#level.iterator({ gte, lt, limit, reverse })
    try {
      for (;;) {
        const entries = await iterator.nextv(RANGE_CHUNK).catch((cause: unknown) => {
          throw readFault(cause)
        })
        if (entries.length === 0) return
        yield* entries
      }
    } finally {
      await iterator.close()
    }
  }

  batch(): KvBatch {
    return new LevelBatch(this.#level, this.#reserve, this.writes)
  }

  requireRoom(bytes: number): void {
    this.#reserve.require(bytes)
  }

  async compact(gte: Uint8Array, lt: Uint8Array): Promise<void> {
    await this.#level.compactRange(gte, lt)
  }

  async close(): Promise<void> {
    if (this.#level.status === 'open') noteClosed(this.#identity)
    await this.#level.close()
  }
}

class LevelBatch implements KvBatch {
  readonly #batch: ReturnType<Level['batch']> & {
    put(key: Uint8Array, value: Uint8Array): unknown
    del(key: Uint8Array): unknown
    write(options: { sync: boolean }): Promise<void>
  }
  readonly #reserve: DiskReserve
  readonly #writes: WriteCount | undefined
  bytes = 0

  constructor(level: Level, reserve: DiskReserve, writes: WriteCount | undefined) {
    this.#reserve = reserve
    this.#writes = writes
    // The chained form copies into the database at once, three times as fast as a list of operations.
    this.#batch = level.batch() as never
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#batch.put(key, value)
    this.bytes += key.length + value.length
  }

  delete(key: Uint8Array): void {
    this.#batch.del(key)
    this.bytes += key.length
  }

  async write(options: { readonly sync: boolean }): Promise<void> {
    this.#writes?.begin()
    try {
      await this.#batch.write({ sync: options.sync })
    } catch (cause) {
      const fault = writeFault(cause)
      if (fault.kind === 'DISK_FULL') this.#reserve.noteFull()
      throw fault
    }
    this.#writes?.end()
    this.#reserve.noteWritten(this.bytes)
  }
}

function openFault(path: string, error: unknown) {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = cause instanceof Error ? cause.message : String(cause)
  const [kind, sentence] = explainOpen(path, code, reason)
  return storeFault(kind, { sentence, path, reason }, { cause: error })
}

function explainOpen(path: string, code: string, reason: string): [StoreFaultKind, string] {
  if (code === 'LEVEL_LOCKED') {
    return [
      'STORE_IN_USE',
      `The database ${path} is in use by another process. Stop that node, or use another --data-path.`,
    ]
  }
  if (/does not exist/.test(reason)) return ['STORE_MISSING', missingFault(path).message]
  if (isDiskFull(reason)) return ['DISK_FULL', diskFull(path)]
  if (code === 'LEVEL_CORRUPTION') {
    return [
      'STORE_CORRUPT',
      `The database ${path} is damaged (${reason}). Remove it and import or sync the chain again.`,
    ]
  }
  return [
    'STORE_FAILED',
    `The database ${path} cannot be opened: ${reason}. Check the disk and its permissions.`,
  ]
}

function readFault(cause: unknown): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause
  if (cause.code === 'LEVEL_CORRUPTION') return corruptFault(cause.message, { cause })
  if (cause.code === 'LEVEL_DATABASE_NOT_OPEN') return cause
  const sentence = `The database cannot be read: ${cause.message}. Check the disk.`
  return storeFault('STORE_FAILED', { sentence }, { cause })
}

function writeFault(cause: unknown) {
  const reason = cause instanceof Error ? cause.message : String(cause)
  if (cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_CORRUPTION')
    return corruptFault(reason, { cause })
  if (isDiskFull(reason)) return storeFault('DISK_FULL', { sentence: diskFull(), reason }, { cause })
  const sentence = `The database cannot be written: ${reason}. The last block is intact; check the disk and start again.`
  return storeFault('STORE_FAILED', { sentence, reason }, { cause })
}

function isDiskFull(reason: string): boolean {
  return /no space left|file too large|quota exceeded/i.test(reason)
}

function diskFull(path?: string): string {
  const where = path === undefined ? '' : ` of ${path}`
  return `The disk${where} is full. The last block is intact; make room and start the node again.`
}
