/**
 * A disk that forgets. LevelDB is native code, so its writes are not intercepted but recorded from outside: after
 * every durable commit the directory is kept as it is then, and how long its logs were when the commit was
 * acknowledged. What a power cut can leave lies between two such moments: all that was there at the first, and of
 * what came after any part. Logs only grow: they are cut anywhere after the acknowledged length, and what is cut
 * off is gone, zeros, or anything. The manifest is as it was, or cut within its next entry, or complete; the tables
 * that its news names are synced before it, so without the news they are there, cut, or missing. (LevelDB refuses a
 * manifest that ends in zeros within an entry; file systems that write the size after the data leave none.)
 */
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Random } from '#platform/random.ts'

export interface Moment {
  readonly directory: string
  readonly names: readonly string[]
  /** Bytes of each log that were acknowledged as durable. */
  readonly syncedLogs: ReadonlyMap<string, number>
}

const TAIL_MAX_BYTES = 5_000
/** Of an entry in the manifest: checksum 4, length 2, kind 1. */
const ENTRY_HEADER_BYTES = 7
/** A compaction that is under way is over soon. */
const STABLE_TRIES_MAX = 1_000

/** To be called as soon as a commit is acknowledged. */
export function syncedLogs(database: string): Map<string, number> {
  const sizes = new Map<string, number>()
  for (const name of readdirSync(database).filter(isLog)) {
    // A log that a table has taken the place of is deleted at any moment.
    const stat = statSync(join(database, name), { throwIfNoEntry: false })
    if (stat !== undefined) sizes.set(name, stat.size)
  }
  return sizes
}

/** To be called when nothing is being written. */
export function recordMoment(database: string, into: string, synced: ReadonlyMap<string, number>): Moment {
  for (let tries = 0; tries < STABLE_TRIES_MAX; tries++) {
    const before = describe(database)
    const names = copyDatabase(database, into)
    if (names !== undefined && describe(database) === before)
      return { directory: into, names, syncedLogs: synced }
    rmSync(into, { recursive: true, force: true })
  }
  throw new Error('The database does not come to rest.')
}

/** What changes when tables are written or merged. */
function describe(database: string): string {
  const names = readdirSync(database).sort()
  return names.map((name) => (isManifest(name) ? `${name} ${sizeOf(database, name)}` : name)).join()
}

function copyDatabase(database: string, into: string): string[] | undefined {
  mkdirSync(into, { recursive: true })
  const names = readdirSync(database).filter((name) => name !== 'LOCK' && !name.startsWith('LOG'))
  try {
    for (const name of names) {
      // Tables never change once they are complete.
      if (isTable(name)) linkSync(join(database, name), join(into, name))
      else copyFileSync(join(database, name), join(into, name))
    }
    return names
  } catch (error) {
    // Deleted since it was listed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Makes a directory as a power cut between two moments can leave it, and says what it did. */
export function cutPower(random: Random, before: Moment, after: Moment, into: string): string {
  mkdirSync(into, { recursive: true })
  const hasNews = random.randomBelow(2) === 0
  const said: string[] = [hasNews ? 'manifest complete' : 'manifest as before']
  for (const name of new Set([...before.names, ...after.names])) {
    const bytes = remains(random, name, before, after, hasNews)
    if (bytes === undefined) continue
    writeFileSync(join(into, name), bytes)
    const whole = after.names.includes(name) ? sizeOf(after.directory, name) : undefined
    if (whole !== bytes.length) said.push(`${name} ${bytes.length} of ${whole ?? 'none'}`)
  }
  return said.join(', ')
}

function remains(
  random: Random,
  name: string,
  before: Moment,
  after: Moment,
  hasNews: boolean,
): Buffer | undefined {
  const isOld = before.names.includes(name)
  if (!after.names.includes(name)) {
    // Deleted, once the manifest no longer needed it; the deletion itself may be lost.
    return hasNews && random.randomBelow(2) === 0 ? undefined : readFileSync(join(before.directory, name))
  }
  const bytes = readFileSync(join(after.directory, name))
  if (isLog(name)) return tearLog(random, bytes, before.syncedLogs.get(name) ?? 0)
  if (hasNews || name === 'CURRENT') return bytes
  if (isManifest(name)) return tearManifest(random, bytes, isOld ? sizeOf(before.directory, name) : 0)
  if (isOld) return bytes
  return random.randomBelow(3) === 0 ? undefined : bytes.subarray(0, random.randomBelow(bytes.length + 1))
}

function tearLog(random: Random, bytes: Buffer, synced: number): Buffer {
  if (random.randomBelow(4) === 0) return bytes
  const head = bytes.subarray(0, synced + random.randomBelow(bytes.length - synced + 1))
  const tail = random.randomBelow(Math.min(bytes.length - head.length, TAIL_MAX_BYTES) + 1)
  switch (random.randomBelow(3)) {
    case 0:
      return head
    case 1:
      return Buffer.concat([head, Buffer.alloc(tail)])
    default:
      return Buffer.concat([head, random.randomBytes(tail)])
  }
}

/** A later entry may name tables that came and went between the moments, so that the cut is in the next one. */
function tearManifest(random: Random, bytes: Buffer, synced: number): Buffer {
  if (bytes.length < synced + ENTRY_HEADER_BYTES) return bytes.subarray(0, synced)
  const entry = ENTRY_HEADER_BYTES + bytes.readUInt16LE(synced + 4)
  return bytes.subarray(0, synced + random.randomBelow(Math.min(entry, bytes.length - synced)))
}

function sizeOf(directory: string, name: string): number {
  return statSync(join(directory, name)).size
}

function isTable(name: string): boolean {
  return name.endsWith('.ldb')
}

function isLog(name: string): boolean {
  return name.endsWith('.log')
}

function isManifest(name: string): boolean {
  return name.startsWith('MANIFEST')
}
