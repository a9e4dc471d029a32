/**
 * Keeps the archive and the local segments in order: uploads each complete segment once, writes its outline when the store
 * has confirmed it, deletes local copies above a bound, and takes outlines of blocks that only the archive has. The outline
 * is the durable record that the archive has a segment, and nothing is deleted without it. Every step can be repeated.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type Clock, pause } from '#platform/clock.ts'
import { namesInDirectory, syncDirectory } from '#platform/files/files.ts'
import type { Log } from '#platform/log/log.ts'
import { inSlices, nextTurn, type Sliced } from '#platform/next-turn.ts'
import { isAboutObject, type S3Store } from '#platform/object-store/s3-store.ts'
import { META } from '#store/meta.ts'
import type { StoreReader } from '#store/reader.ts'
import { clearNote, noteDamage, notedDamage } from '#store/segments/damage-notes.ts'
import { openSource } from '#store/segments/open-source.ts'
import {
  isIntact,
  keepIntactOutline,
  OUTLINE_REMAINS,
  type SegmentBytes,
  writeOutline,
} from '#store/segments/outline.ts'
import {
  namesOfSegments,
  openSegment,
  outlineName,
  SEGMENT_BLOCKS,
  verifySegment,
} from '#store/segments/past-blocks.ts'
import {
  type ArchivedObject,
  damagedSegment,
  FOOTER_BYTES,
  isDamage,
  segmentName,
  unlessDamaged,
} from '#store/segments/segment-layout.ts'
import { assert } from '#types/assert.ts'
import { equalBytes } from '#types/bytes.ts'
import { archivePrefix, objectKey, parseObjectKey } from './archive-place.ts'

export interface ArchiveKeeperParts {
  readonly store: StoreReader
  readonly objects: S3Store
  readonly clock: Clock
  readonly log: Log
  /** Complete segments that stay on this disk; undefined if all do. */
  readonly localBytes: number | undefined
  readonly signal: AbortSignal
}

/** An S3 server accepts no larger object in one request. */
const MAX_OBJECT_BYTES = 5 * 1024 ** 3
const READ_BYTES = 256 * 1024
/** Bounds uploads to 25 MB/s, so they leave room for blocks on the same line. */
const REST_AFTER_READ_MS = 10
/** Blocks compared in one turn of the event loop. */
const BLOCKS_PER_TURN = 64
/** Different segments of one range: other options, such as call traces, give other bytes. */
const MAX_CANDIDATES = 8
const MAX_IGNORED = 10_000
/** How often the archive is searched for blocks that this node lacks. */
const LIST_MS = 600_000

export class ArchiveKeeper {
  readonly #parts: ArchiveKeeperParts
  readonly #folder: string
  readonly #genesisHash: Uint8Array
  #listAtMs = 0
  /** Keys of objects that are not segments of this chain. */
  readonly #ignored = new Set<string>()

  constructor(parts: ArchiveKeeperParts) {
    const { segmentFolder } = parts.store.kv
    const genesisHash = META.genesisHash.read(parts.store.kv)
    assert(segmentFolder !== undefined && genesisHash !== undefined, 'A chain on disk has block 0.')
    this.#parts = parts
    this.#folder = segmentFolder
    this.#genesisHash = genesisHash
  }

  /** Does everything that is due. Rejects at the first failure of the archive, and at the end for a damaged segment. */
  async run(): Promise<void> {
    if (!existsSync(this.#folder)) return await this.#takeOutlines()
    for (const name of namesInDirectory(this.#folder))
      if (name.endsWith(OUTLINE_REMAINS)) rmSync(join(this.#folder, name))
    await this.#dropDamagedOutlines()
    await this.#dropSegments()
    let damage: unknown
    for (const first of this.#due()) {
      this.#parts.signal.throwIfAborted()
      try {
        await this.#upload(first)
      } catch (error) {
        if (!isDamage(error)) throw error
        damage ??= error
        continue
      }
      await this.#dropSegments()
    }
    await this.#takeOutlines()
    await this.#retakeOutlines()
    if (damage !== undefined) throw damage
  }

  /** Deletes damaged outlines that are made again from the segment, or searched in the archive. */
  async #dropDamagedOutlines(): Promise<void> {
    const { segments, outlines } = namesOfSegments(this.#folder)
    for (const first of notedDamage(this.#folder)) {
      if (!outlines.has(first) || !(segments.has(first) || this.#isTaken(first))) continue
      if (!(await keepIntactOutline(this.#folder, first))) this.#listAtMs = 0
    }
  }

  /**
   * Makes damaged outlines of blocks that only the archive has again. Their directories name the object and the checksum of
   * each chunk, so no other header is needed to judge the copy.
   */
  async #retakeOutlines(): Promise<void> {
    const { segments, outlines } = namesOfSegments(this.#folder)
    for (const first of notedDamage(this.#folder)) {
      const path = join(this.#folder, outlineName(first))
      if (!outlines.has(first) || segments.has(first)) continue
      if (!(await isIntact(path))) {
        const object = unlessDamaged(() => objectOf(path))
        if (object === undefined) continue
        const source = this.#archived(first, object)
        const footer = footerOf(path)
        this.#parts.store.kv.requireRoom(0)
        await writeOutline(this.#folder, first, source, object, async (copy) => {
          if (!equalBytes(footerOf(copy), footer))
            throw damagedSegment(source.name)('it changed in the archive')
          await verifyAll(copy)
        })
        this.#parts.log.info('Took outline of archived segment', { first, bytes: object.bytes })
      }
      clearNote(this.#folder, first)
    }
  }

  /** Whether no block of a range is complete on this node, so its outline comes from the archive. */
  #isTaken(first: number): boolean {
    const { store } = this.#parts
    const { segmentBlocks } = store.past.mark() ?? { segmentBlocks: SEGMENT_BLOCKS }
    return first + segmentBlocks <= store.firstBlock()
  }

  /** Complete segments that the archive is not known to have. A damaged one is uploaded after its repair. */
  #due(): number[] {
    const { store } = this.#parts
    const end = store.past.mark()?.end ?? 0
    const { segments, outlines } = namesOfSegments(this.#folder)
    const firstComplete = store.firstBlock()
    const noted = new Set(notedDamage(this.#folder))
    return [...segments].filter(
      (first) => first < end && first >= firstComplete && !outlines.has(first) && !noted.has(first),
    )
  }

  async #upload(first: number): Promise<void> {
    const { objects, signal, log } = this.#parts
    const path = join(this.#folder, segmentName(first))
    const bytes = statSync(path).size
    if (bytes > MAX_OBJECT_BYTES) throw damagedSegment(path)(`it has more than ${MAX_OBJECT_BYTES} bytes`)
    // A damaged segment must not become the only copy.
    try {
      await inSlices(verifySegment(path))
    } catch (error) {
      if (isDamage(error)) noteDamage(this.#folder, first)
      throw error
    }
    const sha256 = await hashOf(this.#slowly(path))
    const object: ArchivedObject = { sha256, bytes }
    const key = objectKey(this.#genesisHash, first, object)
    const hex = Buffer.from(sha256).toString('hex')
    const isShared = await this.#has(key, object)
    if (!isShared) {
      await objects.write(key, { bytes, sha256: hex, open: () => this.#slowly(path) }, signal)
      const length = await objects.length(key, signal)
      if (length !== bytes) throw damagedSegment(key)(`the archive has ${length ?? 0} of its ${bytes} bytes`)
    }
    const file = await open(path)
    try {
      await writeOutline(this.#folder, first, localBytes(path, bytes, file), object, verifyAll)
    } finally {
      await file.close()
    }
    log.info('Archived segment', { name: basename(path), bytes, shared: isShared })
  }

  /** Reads an object that another node, or this one before a kill, has written. Its name proves nothing. */
  async #has(key: string, { bytes, sha256 }: ArchivedObject): Promise<boolean> {
    const { objects, signal } = this.#parts
    if ((await objects.length(key, signal)) !== bytes) return false
    return equalBytes(await hashOf(objects.readAll(key, bytes, signal)), sha256)
  }

  async *#slowly(path: string): AsyncGenerator<Uint8Array> {
    const { clock, signal } = this.#parts
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      signal.throwIfAborted()
      yield chunk as Uint8Array
      await pause(clock, REST_AFTER_READ_MS)
    }
  }

  /** Deletes the oldest local segments that the archive has, until the rest is within the bound. */
  async #dropSegments(): Promise<void> {
    const { localBytes: bound, log } = this.#parts
    if (bound === undefined) return
    const { segments, outlines } = namesOfSegments(this.#folder)
    const sizes = [...segments].map((first) => ({
      first,
      path: join(this.#folder, segmentName(first)),
      bytes: statSync(join(this.#folder, segmentName(first))).size,
    }))
    let left = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    for (const { first, path, bytes } of sizes) {
      if (left <= bound) return
      if (!outlines.has(first) || !(await this.#isArchived(first))) continue
      rmSync(path)
      syncDirectory(this.#folder)
      left -= bytes
      log.info('Deleted local copy of archived segment', { name: basename(path), bytes })
    }
  }

  /**
   * Whether the archive has a segment now: another one may be configured, or its objects may be deleted. If not, the outline
   * is deleted, so the segment is uploaded again.
   */
  async #isArchived(first: number): Promise<boolean> {
    const { objects, signal } = this.#parts
    if (!(await keepIntactOutline(this.#folder, first))) return false
    const path = join(this.#folder, outlineName(first))
    const object = objectOf(path)
    const key = object && objectKey(this.#genesisHash, first, object)
    if (key !== undefined && (await objects.length(key, signal)) === object?.bytes) return true
    rmSync(path)
    syncDirectory(this.#folder)
    return false
  }

  /** Blocks before the first complete one: this node began with a state file, or dropped them. */
  async #takeOutlines(): Promise<void> {
    const { store, objects, signal, log, clock } = this.#parts
    const { segmentBlocks } = store.past.mark() ?? { segmentBlocks: SEGMENT_BLOCKS }
    const firstComplete = store.firstBlock()
    const { segments, outlines } = namesOfSegments(this.#folder)
    for (const first of segments.intersection(outlines)) {
      if (!this.#isTaken(first)) continue
      if (await keepIntactOutline(this.#folder, first)) this.#dropHeaders(first)
      else this.#listAtMs = 0
    }
    const missing = Array.from(
      { length: Math.floor(firstComplete / segmentBlocks) },
      (_, at) => at * segmentBlocks,
    )
    const known = namesOfSegments(this.#folder).outlines
    const wanted = new Set(missing.filter((first) => !known.has(first)))
    const nowMs = clock.monotonicMs()
    if (wanted.size === 0 || nowMs < this.#listAtMs) return
    const candidates = new Map<number, ArchivedObject[]>()
    let hasMore = false
    for await (const { key, bytes } of objects.list(archivePrefix(this.#genesisHash), signal)) {
      const named = parseObjectKey(key)
      if (named === undefined || !wanted.has(named.first) || bytes > MAX_OBJECT_BYTES) continue
      if (this.#ignored.has(key)) continue
      const found = candidates.get(named.first) ?? []
      if (found.length < MAX_CANDIDATES)
        candidates.set(named.first, [...found, { sha256: named.sha256, bytes }])
      else hasMore = true
    }
    // The newest first, which clients read most.
    for (const [first, found] of [...candidates].sort(([a], [b]) => b - a)) {
      for (const object of found.sort((a, b) => b.bytes - a.bytes)) {
        signal.throwIfAborted()
        if (await this.#takeOutline(first, segmentBlocks, object)) {
          log.info('Took outline of archived segment', { first, bytes: object.bytes })
          break
        }
      }
    }
    // Worthless objects must not hide a good one: the next run looks at others.
    if (hasMore && this.#ignored.size < MAX_IGNORED) return
    this.#ignored.clear()
    this.#listAtMs = nowMs + LIST_MS
  }

  /** Returns false if the object is not a segment of this chain. Its headers are compared with the chain's own. */
  async #takeOutline(first: number, count: number, object: ArchivedObject): Promise<boolean> {
    const { log, store } = this.#parts
    const source = this.#archived(first, object)
    const key = source.name
    try {
      store.kv.requireRoom(0)
      await writeOutline(this.#folder, first, source, object, (path) => this.#judge(path, key, first, count))
    } catch (error) {
      if (!(error instanceof Error && (isDamage(error) || isAboutObject(error)))) throw error
      this.#ignored.add(key)
      log.info('Ignored object of the archive', { key, reason: error.message })
      return false
    }
    return true
  }

  #archived(first: number, object: ArchivedObject): SegmentBytes {
    const { objects, signal } = this.#parts
    const name = objectKey(this.#genesisHash, first, object)
    const read = (offset: number, length: number) => objects.read(name, offset, length, signal)
    return { name, bytes: object.bytes, read }
  }

  /** Deletes a segment with little more than headers: its outline has them as well. */
  #dropHeaders(first: number): void {
    rmSync(join(this.#folder, segmentName(first)), { force: true })
    syncDirectory(this.#folder)
  }

  async #judge(path: string, key: string, first: number, count: number): Promise<void> {
    const damaged = damagedSegment(key)
    const { store, signal } = this.#parts
    await inSlices(until(signal, verifySegment(path)))
    const segment = openSegment(path)
    try {
      const isOurs = segment.first === first && segment.count === count && !segment.hasOnlyHeaders
      if (!isOurs || !equalBytes(segment.genesisHash, this.#genesisHash))
        throw damaged('it has blocks of another chain or range')
      for (let number = first; number < first + count; number++) {
        const hash = store.canonicalHash(number)
        const own = hash && store.read('header', number, hash)
        const header = hash && segment.read('header', number, hash)
        if (own === undefined || header === undefined || !equalBytes(own, header))
          throw damaged(`its block ${number} is not the one of this chain`)
        if (number % BLOCKS_PER_TURN !== 0) continue
        signal.throwIfAborted()
        await nextTurn()
      }
    } finally {
      segment.close()
    }
  }
}

function localBytes(name: string, bytes: number, file: Awaited<ReturnType<typeof open>>): SegmentBytes {
  return {
    name,
    bytes,
    read: async (offset, length) => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
      if (bytesRead !== length) throw damagedSegment(name)('it is cut off')
      return buffer
    },
  }
}

function objectOf(outline: string): ArchivedObject | undefined {
  const segment = openSegment(outline)
  segment.close()
  return segment.object
}

/** It has the checksum of the directory, and the directory those of all chunks. */
function footerOf(path: string): Uint8Array {
  const source = openSource(path)
  try {
    return source.read(source.bytes - FOOTER_BYTES, FOOTER_BYTES)
  } finally {
    source.close()
  }
}

function* until(signal: AbortSignal, work: Sliced<void>): Sliced<void> {
  for (const _ of work) {
    signal.throwIfAborted()
    yield
  }
}

async function verifyAll(path: string): Promise<void> {
  await inSlices(verifySegment(path))
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) hash.update(chunk)
  return hash.digest()
}
