/** A directory of era files with their checksums, as geth's `export-history` writes it. */
import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readdirSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openToRead } from '#cli/read-text.ts'
import { usageFault } from '#config/faults.ts'
import {
  ensureDirectory,
  isMissingOrEmpty,
  readTextIfPresent,
  syncDirectory,
  writeFileNew,
} from '#platform/files/files.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { Fault } from '#types/fault.ts'
import { ERA_BLOCKS } from './accumulator.ts'
import { type EraBlock, EraWriter, readEraFile } from './era-file.ts'

const PART_NAME = 'unfinished.part'
const CHECKSUM_FILE = 'checksums.txt'
const MAX_CHECKSUM_BYTES = 16 * 1024 * 1024
const NAME = /^[a-z0-9]+-(\d{5,})-[0-9a-f]{8}\.era1$/
const ERA_DIGITS = 5
const NAMED_BYTES = 4
const READ_BYTES = 1024 * 1024

export interface WrittenEras {
  readonly files: number
  readonly blocks: number
  readonly bytes: number
}

/** Writes blocks in ascending order, beginning with the first block of an era, to a new directory. */
export async function writeEras(
  folder: string,
  network: string,
  blocks: AsyncIterable<EraBlock>,
  onBlock: (number: number) => void,
): Promise<WrittenEras> {
  if (!isMissingOrEmpty(folder)) throw usageFault(`${folder} is not empty. Give a new directory.`)
  ensureDirectory(folder)
  const checksums: string[] = []
  let era: OpenEra | undefined
  let [count, bytes] = [0, 0]
  const finish = (): void => {
    if (era === undefined) return
    const { name, checksum } = era.finish(network)
    renameSync(join(folder, PART_NAME), join(folder, name))
    checksums.push(checksum)
    bytes += era.bytes
    era = undefined
  }
  try {
    for await (const block of blocks) {
      era ??= new OpenEra(join(folder, PART_NAME), block.number / ERA_BLOCKS)
      era.writer.add(block)
      count++
      onBlock(block.number)
      if (era.writer.isFull) finish()
    }
    finish()
  } finally {
    era?.close()
    rmSync(join(folder, PART_NAME), { force: true })
  }
  // Without a line break at the end, because geth would count another line.
  writeFileNew(join(folder, CHECKSUM_FILE), checksums.join('\n'))
  syncDirectory(folder)
  return { files: checksums.length, blocks: count, bytes }
}

class OpenEra {
  readonly writer: EraWriter
  bytes = 0
  readonly #era: number
  readonly #fd: number
  readonly #hash = createHash('sha256')

  constructor(path: string, era: number) {
    this.#era = era
    this.#fd = openSync(path, 'w')
    this.writer = new EraWriter((bytes) => {
      this.#hash.update(bytes)
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
      this.bytes += bytes.length
    })
  }

  finish(network: string): { readonly name: string; readonly checksum: string } {
    const accumulator = Buffer.from(this.writer.finish())
    fsyncSync(this.#fd)
    this.close()
    const era = String(this.#era).padStart(ERA_DIGITS, '0')
    const root = accumulator.subarray(0, NAMED_BYTES).toString('hex')
    return { name: `${network}-${era}-${root}.era1`, checksum: `0x${this.#hash.digest('hex')}` }
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** Yields the blocks of all era files in a directory. Each file is compared with its checksum first, if the directory has them. */
export function* readEras(folder: string, hashBlock: HashBlock): Generator<Uint8Array, void, undefined> {
  const files = eraFiles(folder)
  const text = readTextIfPresent(join(folder, CHECKSUM_FILE), MAX_CHECKSUM_BYTES)
  const checksums = text?.split('\n').filter((line) => line !== '')
  if (checksums !== undefined && checksums.length !== files.length) {
    const sentence = `${folder} has ${files.length} era files and ${checksums.length} checksums. Copy it again.`
    throw new Fault('BLOCKS_FILE_INVALID', { sentence })
  }
  for (const [at, file] of files.entries()) {
    if (checksums !== undefined) requireChecksum(file, checksums[at]!)
    yield* readEraFile(file, hashBlock)
  }
}

function eraFiles(folder: string): string[] {
  const eras = namesIn(folder).flatMap((name) => {
    const era = NAME.exec(name)?.[1]
    return era === undefined ? [] : { name, era: Number(era) }
  })
  if (eras.length === 0) throw usageFault(`There are no era files (.era1) in ${folder}.`)
  return eras.sort((a, b) => a.era - b.era).map(({ name }) => join(folder, name))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    throw usageFault(`Cannot read the directory ${folder}: ${(cause as Error).message}.`, { cause })
  }
}

function requireChecksum(path: string, expected: string): void {
  const found = `0x${digestOf(path)}`
  if (found === expected) return
  const sentence = `${path} is damaged: its SHA-256 is not the one in ${CHECKSUM_FILE}. Copy ${basename(path)} again.`
  throw new Fault('BLOCKS_FILE_INVALID', { sentence })
}

function digestOf(path: string): string {
  const hash = createHash('sha256')
  const fd = openToRead(path)
  const buffer = new Uint8Array(READ_BYTES)
  try {
    for (let count = 1; count > 0; ) {
      count = readSync(fd, buffer, 0, buffer.length, null)
      hash.update(buffer.subarray(0, count))
    }
    return hash.digest('hex')
  } finally {
    closeSync(fd)
  }
}
