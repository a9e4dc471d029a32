/**
 * Writes outlines: segments without contents, for blocks whose contents are in an archive. An outline has the headers, the
 * indexes, and place and checksum of every chunk of contents, so a reader finds blocks without the archive and verifies
 * the bytes that the archive returns.
 */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { ensureDirectory, syncDirectory } from '#platform/files/files.ts'
import { inSlices } from '#platform/next-turn.ts'
import { equalBytes } from '#types/bytes.ts'
import { outlineName, segmentPath, verifySegment } from './past-blocks.ts'
import { SyncedOutput } from './segment-file.ts'
import {
  type ArchivedObject,
  type ChunkPlace,
  type ChunkPlaces,
  damagedSegment,
  decodeDirectory,
  decodeFooter,
  encodeDirectory,
  encodeFooter,
  FOOTER_BYTES,
  isDamage,
  LISTS,
  MAGIC,
  type SegmentList,
} from './segment-layout.ts'

/** A complete segment, here or elsewhere. */
export interface SegmentBytes {
  readonly name: string
  readonly bytes: number
  /** Rejects or returns exactly these bytes. */
  read(offset: number, length: number): Promise<Uint8Array>
}

export const OUTLINE_REMAINS = '.outline.new'
/** Pages of an index are adjacent; one read takes many of them. */
const READ_BYTES = 1024 * 1024

/** Resolves when the outline is on the device, unless `judge` throws for the file. */
export async function writeOutline(
  folder: string,
  first: number,
  segment: SegmentBytes,
  object: ArchivedObject,
  judge: (path: string) => Promise<void> | void,
): Promise<void> {
  const path = join(folder, outlineName(first))
  const part = `${path}.new`
  ensureDirectory(folder)
  try {
    const file = await open(part, 'w')
    try {
      const output = new SyncedOutput(file)
      for await (const bytes of outlineOf(segment, object)) await output.append(bytes)
      await output.finish()
    } finally {
      await file.close()
    }
    await judge(part)
    renameSync(part, path)
  } finally {
    rmSync(part, { force: true })
  }
  syncDirectory(folder)
}

/** Whether a segment or outline is there and has no changed byte. */
export async function isIntact(path: string): Promise<boolean> {
  try {
    await inSlices(verifySegment(path))
    return true
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

/** Whether a range has an intact outline and no segment. */
export async function hasOnlyIntactOutline(folder: string, first: number): Promise<boolean> {
  const path = join(folder, outlineName(first))
  return segmentPath(folder, first) === path && (await isIntact(path))
}

/** Deletes the outline of a range if it is damaged. Returns whether the range has one then. */
export async function keepIntactOutline(folder: string, first: number): Promise<boolean> {
  const path = join(folder, outlineName(first))
  if (!existsSync(path)) return false
  if (await isIntact(path)) return true
  rmSync(path, { force: true })
  syncDirectory(folder)
  return false
}

async function* outlineOf(segment: SegmentBytes, object: ArchivedObject): AsyncGenerator<Uint8Array> {
  const damaged = damagedSegment(segment.name)
  if (segment.bytes < MAGIC.length + FOOTER_BYTES) throw damaged('it is cut off')
  const end = await segment.read(segment.bytes - FOOTER_BYTES, FOOTER_BYTES)
  const footer = decodeFooter(end, segment.bytes, damaged)
  if (footer.isOutline) throw damaged('it has no contents')
  const { offset: directoryAt, storedBytes, crc } = footer.directory
  const encoded = await segment.read(directoryAt, storedBytes)
  if (crc32(encoded) !== crc) throw damaged('its directory changed')
  const directory = decodeDirectory(encoded, footer, damaged)
  const places = Object.fromEntries(LISTS.map((name) => [name, placesOf(directory[name])])) as Record<
    SegmentList,
    ChunkPlace[]
  >
  if (!equalBytes(await segment.read(0, MAGIC.length), MAGIC)) throw damaged('it does not begin like one')
  yield MAGIC
  let offset = MAGIC.length
  for (const name of LISTS) {
    if (name === 'contents') continue
    const moved: ChunkPlace[] = []
    for (const run of adjacent(places[name])) {
      const start = run[0]!.offset
      const last = run.at(-1)!
      const bytes = await segment.read(start, last.offset + last.storedBytes - start)
      for (const place of run) {
        const chunk = bytes.subarray(place.offset - start, place.offset - start + place.storedBytes)
        if (crc32(chunk) !== place.crc) throw damaged(`the chunk at byte ${place.offset} changed`)
        yield chunk
        moved.push({ ...place, offset })
        offset += chunk.length
      }
    }
    places[name] = moved
  }
  const bytes = encodeDirectory(places, object)
  yield bytes
  const place = { offset, storedBytes: bytes.length, crc: crc32(bytes) }
  yield encodeFooter({ ...footer, isOutline: true, directory: place })
}

function placesOf(places: ChunkPlaces): ChunkPlace[] {
  return Array.from({ length: places.length }, (_, index) => places.at(index))
}

function* adjacent(places: readonly ChunkPlace[]): Generator<readonly ChunkPlace[]> {
  let run: ChunkPlace[] = []
  for (const place of places) {
    const last = run.at(-1)
    const follows = last !== undefined && last.offset + last.storedBytes === place.offset
    const fits = last !== undefined && place.offset + place.storedBytes - run[0]!.offset <= READ_BYTES
    if (run.length > 0 && !(follows && fits)) {
      yield run
      run = []
    }
    run.push(place)
  }
  if (run.length > 0) yield run
}
