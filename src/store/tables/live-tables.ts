/**
 * Lists the tables of a database from its manifest; other tables in the directory are remains that LevelDB removes.
 * If something cannot be read here, LevelDB reports it when it opens.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VarintReader } from './varints.ts'

const LOG_BLOCK_BYTES = 32 * 1024
/** Checksum 4, length 2, kind 1. */
const RECORD_HEAD_BYTES = 7
const RECORD = { full: 1, first: 2, middle: 3, last: 4 } as const
/** Field numbers of LevelDB. */
const FIELD = {
  comparator: 1,
  logNumber: 2,
  nextFile: 3,
  lastSequence: 4,
  compactPointer: 5,
  deletedFile: 6,
  newFile: 7,
  previousLog: 9,
} as const

export interface LiveTable {
  readonly number: number
  readonly bytes: number
}

export interface Manifest {
  readonly tables: readonly LiveTable[]
  /** Data missing from the tables is in this log and later ones. */
  readonly firstLog: number
}

interface Live {
  readonly tables: Map<number, LiveTable>
  firstLog: number
}

/** Newest first; empty without a database, or if LevelDB has to judge it. */
export function liveTables(database: string): LiveTable[] {
  const current = join(database, 'CURRENT')
  if (!existsSync(current)) return []
  const manifest = join(database, readFileSync(current, 'latin1').trim())
  if (!/MANIFEST-\d+$/.test(manifest) || !existsSync(manifest)) return []
  return [...(manifestOf(readFileSync(manifest))?.tables ?? [])].sort((a, b) => b.number - a.number)
}

/** Reads a manifest, or the beginning of one being written; undefined if it is malformed. */
export function manifestOf(content: Buffer): Manifest | undefined {
  const live: Live = { tables: new Map(), firstLog: 0 }
  try {
    for (const entry of entriesOf(content)) apply(entry, live)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return undefined
  }
  return { tables: [...live.tables.values()], firstLog: live.firstLog }
}

export function tableName(number: number): string {
  return `${String(number).padStart(6, '0')}.ldb`
}

function* entriesOf(log: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let offset = 0; offset + RECORD_HEAD_BYTES <= log.length; ) {
    const left = LOG_BLOCK_BYTES - (offset % LOG_BLOCK_BYTES)
    if (left < RECORD_HEAD_BYTES) {
      offset += left
      continue
    }
    const length = log.readUInt16LE(offset + 4)
    const kind = log[offset + 6]
    const start = offset + RECORD_HEAD_BYTES
    // The last entry may be torn.
    if (start + length > log.length) return
    parts.push(log.subarray(start, start + length))
    offset = start + length
    if (kind !== RECORD.full && kind !== RECORD.last) continue
    yield Buffer.concat(parts)
    parts = []
  }
}

function apply(entry: Buffer, live: Live): void {
  const reader = new VarintReader(entry)
  while (!reader.isDone) {
    const field = reader.varint()
    switch (field) {
      case FIELD.comparator:
        reader.skipBytes()
        break
      case FIELD.logNumber:
        live.firstLog = reader.varint()
        break
      case FIELD.nextFile:
      case FIELD.lastSequence:
      case FIELD.previousLog:
        reader.varint()
        break
      case FIELD.compactPointer:
        reader.varint()
        reader.skipBytes()
        break
      case FIELD.deletedFile:
        reader.varint()
        live.tables.delete(reader.varint())
        break
      case FIELD.newFile: {
        reader.varint()
        const table = { number: reader.varint(), bytes: reader.varint() }
        live.tables.set(table.number, table)
        reader.skipBytes()
        reader.skipBytes()
        break
      }
      default:
        throw new RangeError(`LevelDB has no field ${field}.`)
    }
  }
}
