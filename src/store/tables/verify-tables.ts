/**
 * Verifies the checksums of LevelDB's tables. This build of LevelDB writes them but does not check them: a damaged
 * table would return wrong values, or none. Tables are verified before the database opens or next to it, because
 * LevelDB never modifies a table.
 */
import { statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '#platform/clock.ts'
import { maskedCrc32c } from '#platform/crc32c.ts'
import { inSlices, nextTurn } from '#platform/next-turn.ts'
import { corruptFault } from '#store/faults.ts'
import { segmentPaths, verifySegment } from '#store/segments/past-blocks.ts'
import { type LiveTable, liveTables, tableName } from './live-tables.ts'
import { VarintReader } from './varints.ts'

/** Covers all tables of most private chains and takes half a second of one processor. */
const VERIFIED_MAX_BYTES = 256 * 1024 * 1024
/** A table has about 32 MB; a larger one is not read into memory. */
const TABLE_MAX_BYTES = 256 * 1024 * 1024
const FOOTER_BYTES = 48
const MAGIC = Buffer.from('57fb808b247547db', 'hex')
/** Kind 1, checksum 4. */
const TRAILER_BYTES = 5
const TURN_BYTES = 256 * 1024
/** The threads of a starting node come first. */
const TURN_PAUSE_MS = 2

interface Block {
  readonly offset: number
  readonly size: number
}

/** Newest first. The database must not be open, because its manifest would be changing. */
export function tablesToVerify(database: string): LiveTable[] {
  return newestWithin(VERIFIED_MAX_BYTES, liveTables(database))
}

export function newestWithin(maxBytes: number, tables: readonly LiveTable[]): LiveTable[] {
  let left = maxBytes
  return tables.filter(({ bytes }) => {
    left -= bytes
    return left >= 0
  })
}

/** Verifies tables and segments of a database that is not open, without those that `isKnown` names. Throws if one is damaged. */
export async function verifyDatabase(
  database: string,
  onTable: (doneBytes: number, ofBytes: number) => void,
  isKnown: (name: string) => boolean = () => false,
): Promise<void> {
  const tables = liveTables(database).filter(({ number }) => !isKnown(tableName(number)))
  const names = segmentPaths(database).filter((name) => !isKnown(name))
  const segments = names.map((name) => {
    const path = join(database, name)
    return { path, bytes: statSync(path).size }
  })
  const ofBytes = [...tables, ...segments].reduce((sum, { bytes }) => sum + bytes, 0)
  let doneBytes = 0
  for (const table of tables) {
    await verifyTable(database, table, nextTurn)
    doneBytes += table.bytes
    onTable(doneBytes, ofBytes)
  }
  for (const { path, bytes } of segments) {
    await inSlices(verifySegment(path))
    doneBytes += bytes
    onTable(doneBytes, ofBytes)
  }
}

/** Throws if a table is damaged. */
export async function verifyTables(database: string, tables: readonly LiveTable[]): Promise<void> {
  for (const table of tables) await verifyTable(database, table, nextTurn)
}

/** Does the same in small steps with pauses, until the signal aborts. */
export async function verifyTablesBeside(
  database: string,
  tables: readonly LiveTable[],
  signal: AbortSignal,
): Promise<void> {
  const rest = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    if (signal.aborted) resolve()
    else systemClock.after(TURN_PAUSE_MS, resolve)
    return promise
  }
  for (const table of tables) {
    if (signal.aborted) return
    await verifyTable(database, table, rest)
  }
}

async function verifyTable(
  database: string,
  { number, bytes }: LiveTable,
  rest: () => Promise<void>,
): Promise<void> {
  const name = tableName(number)
  const content = await readTable(join(database, name))
  // LevelDB reports a missing table itself; next to a running LevelDB, it was compacted.
  if (content === undefined) return
  const damaged = () => corruptFault(`its table ${join(database, name)} is not as it was written`)
  if (content.length !== bytes || content.length < FOOTER_BYTES) throw damaged()
  try {
    let turn = 0
    for (const block of blocksOf(content)) {
      if (!isWhole(content, block)) throw damaged()
      turn += block.size
      if (turn < TURN_BYTES) continue
      turn = 0
      await rest()
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error
  }
}

async function readTable(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return undefined
  try {
    const { size } = await file.stat()
    if (size > TABLE_MAX_BYTES) return Buffer.alloc(0)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Yields the two block lists and all blocks in them. */
function* blocksOf(table: Buffer): Generator<Block> {
  if (!table.subarray(-MAGIC.length).equals(MAGIC)) throw new RangeError('There is no footer.')
  const footer = new VarintReader(table, table.length - FOOTER_BYTES, table.length - MAGIC.length)
  for (const list of [blockAt(footer), blockAt(footer)]) {
    yield list
    // The caller has verified the list before it asks for the next block.
    yield* listedIn(table, list)
  }
}

function blockAt(reader: VarintReader): Block {
  return { offset: reader.varint(), size: reader.varint() }
}

/** An index block: keys that share prefixes, each with the position of its block. */
function* listedIn(table: Buffer, { offset, size }: Block): Generator<Block> {
  const restarts = table.readUInt32LE(offset + size - 4)
  const reader = new VarintReader(table, offset, offset + size - 4 - 4 * restarts)
  while (!reader.isDone) {
    reader.varint()
    const keyBytes = reader.varint()
    const valueBytes = reader.varint()
    reader.skip(keyBytes)
    const { offset: valueAt } = reader
    yield blockAt(new VarintReader(table, valueAt, valueAt + valueBytes))
    reader.skip(valueBytes)
  }
}

function isWhole(table: Buffer, { offset, size }: Block): boolean {
  const end = offset + size
  if (end + TRAILER_BYTES > table.length) return false
  return table.readUInt32LE(end + 1) === maskedCrc32c(table, offset, end + 1)
}
