/**
 * Reads contents of old blocks from the archive, for threads that answer requests. A read never waits: it throws
 * `DataPending` while the chunk is on the way. After a failure all reads fail for a moment, and then one at a time is sent
 * until the archive answers, so an archive that hangs costs few requests their time.
 */
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ByteCache } from '#platform/byte-cache.ts'
import { type Clock, systemClock } from '#platform/clock.ts'
import { DataPending } from '#platform/data-pending.ts'
import { isAboutObject, S3Store } from '#platform/object-store/s3-store.ts'
import { storeFault } from '#store/faults.ts'
import type { Kv } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import type { ArchivedContents } from '#store/segments/segment.ts'
import { type ArchivedObject, type ChunkPlace, damagedSegment } from '#store/segments/segment-layout.ts'
import { assert } from '#types/assert.ts'
import { type ArchivePlace, objectKey } from './archive-place.ts'
import { SlotCache } from './slot-cache.ts'

export const CACHE_FOLDER = 'cache'
/** Chunks that arrived and wait for their reader. */
const ARRIVED_BYTES = 32 * 1024 * 1024
/** Per thread. More requests than this wait for the archive already. */
const MAX_FETCHES = 64
const RETRY_MS = 2_000

export interface ArchiveReaderParts {
  readonly place: ArchivePlace
  /** The folder of the segments. */
  readonly folder: string
  readonly genesisHash: Uint8Array
  readonly clock: Clock
  readonly requireRoom: () => void
}

export function openArchive(kv: Kv, place: ArchivePlace): ArchiveReader {
  const { segmentFolder: folder } = kv
  const genesisHash = META.genesisHash.read(kv)
  assert(folder !== undefined && genesisHash !== undefined, 'Outlines belong to a chain on disk.')
  const requireRoom = () => kv.requireRoom(0)
  return new ArchiveReader({ place, folder, genesisHash, clock: systemClock, requireRoom })
}

export class ArchiveReader implements ArchivedContents {
  readonly #parts: ArchiveReaderParts
  readonly #objects: S3Store
  readonly #cache: SlotCache
  readonly #arrived = new ByteCache<string, Uint8Array>(ARRIVED_BYTES)
  /** The last chunk that is too large for `#arrived`. */
  #large: { readonly name: string; readonly bytes: Uint8Array } | undefined
  readonly #fetches = new Map<string, Promise<void>>()
  #failure: { readonly untilMs: number; readonly reason: string } | undefined

  constructor(parts: ArchiveReaderParts) {
    const { place, folder, clock, requireRoom } = parts
    this.#parts = parts
    this.#objects = new S3Store(place, clock)
    this.#cache = new SlotCache(join(folder, CACHE_FOLDER), place.cacheBytes, requireRoom)
  }

  read(first: number, object: ArchivedObject, place: ChunkPlace): Uint8Array {
    const key = objectKey(this.#parts.genesisHash, first, object)
    const name = `${key}:${place.offset}`
    const large = this.#large?.name === name ? this.#large.bytes : undefined
    const known = large ?? this.#arrived.get(name) ?? this.#cached(name, place)
    if (known !== undefined) return known
    this.#requireAnswers()
    let fetch = this.#fetches.get(name)
    if (fetch === undefined) {
      if (this.#fetches.size >= MAX_FETCHES) throw unavailable(`${MAX_FETCHES} reads wait for it`)
      fetch = this.#fetch(key, name, place).finally(() => this.#fetches.delete(name))
      this.#fetches.set(name, fetch)
    }
    throw new DataPending({ name: `${first}:${place.offset}`, bytes: place.storedBytes }, fetch)
  }

  close(): void {
    this.#objects.close()
  }

  /** After a failure, one read at a time finds out whether the archive answers again. */
  #requireAnswers(): void {
    if (this.#failure === undefined) return
    const { untilMs, reason } = this.#failure
    if (this.#parts.clock.monotonicMs() < untilMs || this.#fetches.size > 0) throw unavailable(reason)
  }

  #cached(name: string, { storedBytes, crc }: ChunkPlace): Uint8Array | undefined {
    const bytes = this.#cache.get(name)
    return bytes?.length === storedBytes && crc32(bytes) === crc ? bytes : undefined
  }

  async #fetch(key: string, name: string, { offset, storedBytes, crc }: ChunkPlace): Promise<void> {
    let bytes: Uint8Array
    try {
      bytes = await this.#objects.read(key, offset, storedBytes)
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      if (isAboutObject(cause)) throw unavailable(reason, cause)
      this.#failure = { untilMs: this.#parts.clock.monotonicMs() + RETRY_MS, reason }
      throw unavailable(reason, cause)
    }
    this.#failure = undefined
    if (crc32(bytes) !== crc) throw damagedSegment(key)(`the archive returned changed bytes at ${offset}`)
    this.#arrived.set(name, bytes, bytes.length)
    if (this.#arrived.get(name) === undefined) this.#large = { name, bytes }
    this.#cache.set(name, bytes)
  }
}

/** Clients do not see the reason, which may name the server. */
function unavailable(reason: string, cause?: unknown) {
  const sentence = `The history archive is not available: ${reason.replace(/\.$/, '')}. Check --history-archive.`
  const forClients = 'Retry later. The node log has the reason'
  return storeFault('ARCHIVE_UNAVAILABLE', { sentence, forClients }, { cause })
}
