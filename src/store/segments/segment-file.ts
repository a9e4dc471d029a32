/** Writes segments and their indexes. A file gets its name when all of it is on the device, so it is complete. */

import { existsSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDirectory, namesInDirectory, syncDirectory } from '#platform/files/files.ts'
import { assert } from '#types/assert.ts'
import { openSegment, outlineName, segmentPath } from './past-blocks.ts'
import { segmentName } from './segment-layout.ts'
import { type SegmentBlock, type SegmentTarget, SegmentWriter } from './segment-writer.ts'

export interface SegmentFileOptions extends Pick<SegmentTarget, 'pause'> {
  readonly folder: string
  readonly first: number
  readonly count: number
  readonly genesisHash: Uint8Array
  /** Returns undefined for a block that a rewind has removed. */
  readonly blockAt: (number: number) => SegmentBlock | undefined | Promise<SegmentBlock | undefined>
  /** Checked between blocks. */
  readonly isStopped: () => boolean
  /** Ends the temporary name; files with it are remains of killed attempts. Two writers in one folder have two. */
  readonly partSuffix?: string | undefined
  /** Reads the complete file before it gets its name; it stays as it was if this throws. */
  readonly verify?: ((part: string) => Promise<void>) | undefined
}

const WITHOUT_CONTENTS = {
  body: undefined,
  receipts: undefined,
  callTrees: undefined,
  transactionHashes: [],
  logAddresses: [],
  logTopics: [],
  parties: undefined,
}
const PART_SUFFIX = '.part'
export const REBUILT_SUFFIX = '.rebuilt'
/** Synced in pieces: one sync of a large file would delay the sync of the next block. */
const SYNC_BYTES = 4 * 1024 * 1024
const WRITE_BYTES = 256 * 1024

/** Returns false if it was stopped or a block is missing; the next attempt starts again. */
export async function writeSegmentFile(options: SegmentFileOptions): Promise<boolean> {
  const { folder, first, partSuffix, verify } = options
  const write = (append: SegmentTarget['append']) => writeBlocks(append, options)
  return await writeFileInParts(folder, segmentName(first), write, { partSuffix, verify })
}

/** Writes a file by many appends. `write` returns false if the file shall not exist. */
export async function writeFileInParts(
  folder: string,
  name: string,
  write: (append: SegmentTarget['append']) => Promise<boolean>,
  { partSuffix = PART_SUFFIX, verify }: Pick<SegmentFileOptions, 'partSuffix' | 'verify'> = {},
): Promise<boolean> {
  ensureDirectory(folder)
  removeParts(folder, partSuffix)
  const path = join(folder, name)
  const part = `${path}${partSuffix}`
  try {
    if (!(await fillPart(part, write))) return false
    await verify?.(part)
    renameSync(part, path)
  } finally {
    // On a full disk, the remains of a failed attempt would take the room of the next block.
    rmSync(part, { force: true })
  }
  syncDirectory(folder)
  return true
}

/** Replaces a segment or an outline by a segment with the same headers and nothing else. The segment counts if both exist. */
export async function reduceToHeaders(folder: string, first: number): Promise<void> {
  const outline = join(folder, outlineName(first))
  const segment = openSegment(segmentPath(folder, first))
  try {
    if (segment.hasOnlyHeaders) return rmSync(outline, { force: true })
    const { count, genesisHash } = segment
    const blockAt = (number: number): SegmentBlock => {
      const hash = segment.hash(number)
      const header = segment.read('header', number, hash)
      assert(header !== undefined, `The segment has block ${number}.`)
      return { ...WITHOUT_CONTENTS, hash, header }
    }
    const isStopped = () => false
    const pause = () => undefined
    await writeSegmentFile({ folder, first, count, genesisHash, blockAt, isStopped, pause })
    rmSync(outline, { force: true })
  } finally {
    segment.close()
  }
}

async function writeBlocks(append: SegmentTarget['append'], options: SegmentFileOptions): Promise<boolean> {
  const { first, count, genesisHash, blockAt, isStopped, pause } = options
  const writer = new SegmentWriter({ append, pause }, first, genesisHash)
  for (let number = first; number < first + count; number++) {
    const block = isStopped() ? undefined : await blockAt(number)
    if (block === undefined) return false
    await writer.add(block)
  }
  await writer.finish()
  return true
}

async function fillPart(part: string, write: Parameters<typeof writeFileInParts>[2]): Promise<boolean> {
  const file = await open(part, 'wx')
  try {
    const output = new SyncedOutput(file)
    if (!(await write((bytes) => output.append(bytes)))) return false
    await output.finish()
    return true
  } finally {
    await file.close()
  }
}

/** Removes the remains of killed attempts. */
export function removeParts(folder: string, suffix: string): void {
  for (const name of existsSync(folder) ? namesInDirectory(folder) : []) {
    if (name.endsWith(suffix)) rmSync(join(folder, name))
  }
}

export class SyncedOutput {
  readonly #file: FileHandle
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #unsyncedBytes = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(new Uint8Array(bytes))
    this.#waitingBytes += bytes.length
    if (this.#waitingBytes >= WRITE_BYTES) await this.#write()
    if (this.#unsyncedBytes < SYNC_BYTES) return
    await this.#file.datasync()
    this.#unsyncedBytes = 0
  }

  async finish(): Promise<void> {
    await this.#write()
    await this.#file.sync()
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten
    this.#unsyncedBytes += bytes.length
  }
}
