/** Opens the database and refuses one of another network or program. */

import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Fork } from '#types/genesis/fork-schedule.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import type { ArchivePlace } from './archive/archive-place.ts'
import { corruptFault, storeFault } from './faults.ts'
import { type Kv, type KvReader, openLevelKvFor } from './kv/kv.ts'
import { type Identity, LATEST_SCHEMA_VERSION, META, readTrieMark, schemaVersionOf } from './meta.ts'
import { NodeStore } from './node-store.ts'
import { type OpenArchive, StoreReader } from './reader.ts'
import { Anchors, anchorOf } from './state/anchors.ts'
import { applyKeys, KeySet } from './state/apply-keys.ts'
import { accountsChangedIn, readChangedKeys } from './state/changed-keys.ts'
import type { StateLimits } from './state/flat-state.ts'
import { VersionBase } from './state/state-version.ts'
import type { Head, StorageFormat } from './store.ts'
import { TrieRotation } from './trie/rotation.ts'
import { Store } from './writer.ts'

export interface StoreOptions {
  readonly path: string
  readonly format: StorageFormat
  /** --bonsai-historical-block-limit: states that BONSAI keeps, the head's included. */
  readonly historyBlocks: number
  readonly genesisHash: Uint8Array
  /** The remedy if the database has another block 0; by default, its own genesis file. */
  readonly otherGenesisRemedy?: string | undefined
  readonly forks: readonly Fork[]
  readonly log: Log
  /** Whether the chain belongs to a development network. Decided when the database is created. */
  readonly isDevelopment?: boolean
  /** Whether the database is a copy that a development network uses, and may be marked as its own. */
  readonly isCopy?: boolean | undefined
  /** Block cache of the database; the first opener in the process decides. */
  readonly cacheBytes?: number
  /** Blocks between two anchors (state/anchors.ts), if not the usual number. */
  readonly anchorBlocks?: number
  /** See `KvOptions`. */
  readonly writes?: SharedArrayBuffer | undefined
}

/** The trie on disk is up to 256 blocks behind, and its repair needs their changed keys. */
export const MIN_HISTORY_BLOCKS = 257

/** Longer than any key; filled with 255 it sorts after every key. */
const MAX_KEY_BYTES = 64

/** Called once, on the writer thread. */
export function openStore(options: StoreOptions): Promise<Store> {
  const { path, cacheBytes, writes } = options
  return openLevelKvFor(path, { createIfMissing: true, cacheBytes, writes }, (kv) => openStoreOn(kv, options))
}

/** Works on any thread, with or without the writer. */
export function openStoreReader({
  path,
  historyBlocks,
  cacheBytes,
  writes,
  archive,
}: Pick<StoreOptions, 'path' | 'historyBlocks' | 'cacheBytes' | 'writes'> & {
  readonly archive?: ArchivePlace | undefined
}): Promise<StoreReader> {
  return openLevelKvFor(path, { createIfMissing: false, cacheBytes, writes }, async (kv) => {
    const identity = requireReadable(META.identity.read(kv))
    requireFinished(kv)
    const limits = limitsOf(identity.format, historyBlocks)
    return new StoreReader(kv, limits, loadFastKeccak(), archive && (await lazyArchive(kv, archive)))
  })
}

/** Loaded when it is needed, because few nodes have an archive. */
async function lazyArchive(kv: Kv, place: ArchivePlace): Promise<OpenArchive> {
  const { LazyArchive } = await import('./archive/lazy-archive.ts')
  return new LazyArchive(kv, place)
}

/** Like `openStore`, on an open database; tests use one in memory. */
export async function openStoreOn(kv: Kv, options: Omit<StoreOptions, 'path'>): Promise<Store> {
  const { format, historyBlocks, log, anchorBlocks } = options
  // Readers trust the count from here on.
  kv.writes?.begin()
  kv.writes?.end()
  await beginStore(kv, options)
  requireFinished(kv)
  const keccak = loadFastKeccak()
  const { nodes, rotation } = await openTries(kv, format, keccak, log, anchorBlocks)
  const base = new VersionBase(kv, keccak, rotation)
  return new Store({ kv, limits: limitsOf(format, historyBlocks), keccak, base, nodes, log })
}

/** Refuses a database of another network or program, and marks an empty one. */
export async function beginStore(kv: Kv, options: Omit<StoreOptions, 'path'>): Promise<void> {
  await requireOwnEntries(kv)
  requireSameNetwork(kv, options)
  await writeStart(kv, options)
}

export function requireFinished(kv: KvReader): void {
  if (META.import.read(kv) === undefined) return
  const sentence =
    'A state import into this database is unfinished. Run `cairn state import` with the same file ' +
    'again to continue, or remove the database directory.'
  throw storeFault('STORE_UNFINISHED', { sentence })
}

function limitsOf(format: StorageFormat, historyBlocks: number): StateLimits {
  return { format, historyBlocks: Math.max(historyBlocks, MIN_HISTORY_BLOCKS) }
}

export function requireReadable(identity: Identity | undefined): Identity {
  if (identity === undefined) {
    const sentence = 'The database holds no chain yet. Start the node or import a chain first.'
    throw storeFault('STORE_MISSING', { sentence })
  }
  if (identity.schemaVersion > LATEST_SCHEMA_VERSION) {
    const sentence =
      `The database was written by a newer Cairn (schema ${identity.schemaVersion}, this one knows ` +
      `${LATEST_SCHEMA_VERSION}). Run that version, or use another --data-path.`
    throw storeFault('STORE_NEWER', { sentence })
  }
  return identity
}

/** LevelDB opens databases of any program; only the content shows its origin. */
async function requireOwnEntries(kv: Kv): Promise<void> {
  if (META.identity.read(kv) !== undefined) return
  const all = { gte: Uint8Array.of(), lt: new Uint8Array(MAX_KEY_BYTES).fill(255), limit: 1 }
  for await (const [key] of kv.range(all)) {
    const sentence = `The database holds entries (the first is ${formatData(key)}), but no marker of Cairn: another program created it, or it is damaged. Use another --data-path. Nothing was written.`
    throw storeFault('STORE_FOREIGN', { sentence })
  }
}

function requireSameNetwork(
  kv: KvReader,
  {
    format,
    genesisHash,
    forks,
    otherGenesisRemedy = 'Use the genesis file that created it, or another --data-path.',
    isDevelopment = false,
    isCopy = false,
  }: Omit<StoreOptions, 'path'>,
): void {
  const found = META.identity.read(kv)
  if (found === undefined) return
  const identity = requireReadable(found)
  if (identity.format !== format) {
    const sentence =
      `The database was made with --data-storage-format=${identity.format} and cannot become ${format}. ` +
      `Start with ${identity.format}, or import the chain into a new --data-path.`
    throw storeFault('STORE_OTHER_FORMAT', { sentence })
  }
  const wasDevelopment = META.development.read(kv) !== undefined
  if (wasDevelopment !== isDevelopment && !(isDevelopment && isCopy)) {
    const sentence = isDevelopment
      ? 'The database was not created by --network=dev, and the methods of the development network would change its ' +
        'state. Use another --data-path.'
      : 'The database was created by --network=dev, and its state may have been edited. Start with --network=dev, or ' +
        'use another --data-path.'
    throw storeFault('STORE_OTHER_NETWORK', { sentence })
  }
  const stored = META.genesisHash.read(kv)
  if (stored !== undefined && !equalBytes(stored, genesisHash)) {
    const sentence =
      `The database belongs to another network: its block 0 is ${formatData(stored)}, but the genesis file gives ` +
      `${formatData(genesisHash)}. ${otherGenesisRemedy}`
    throw storeFault('STORE_OTHER_GENESIS', { sentence })
  }
  const head = META.head.read(kv)
  const schedule = META.schedule.read(kv)
  if (head !== undefined && schedule !== undefined) requireSameSchedule(schedule, forks, head)
}

async function writeStart(
  kv: Kv,
  { format, genesisHash, forks, isDevelopment = false }: Omit<StoreOptions, 'path'>,
): Promise<void> {
  const schedule = formatSchedule(forks)
  const identity = META.identity.read(kv)
  const isMarked = !isDevelopment || META.development.read(kv) !== undefined
  const schemaVersion = schemaVersionOf(format, META.moved.read(kv) !== undefined)
  if (isMarked && identity?.schemaVersion === schemaVersion && META.schedule.read(kv) === schedule) return
  const batch = kv.batch()
  if (!isMarked) {
    META.development.write(batch, { version: 0, pending: 0, lastSavepoint: 0 })
  }
  META.identity.write(batch, { schemaVersion, format })
  META.genesisHash.write(batch, genesisHash)
  META.schedule.write(batch, schedule)
  await batch.write({ sync: true })
}

interface Tries {
  readonly nodes: NodeStore
  readonly rotation: TrieRotation
}

/** Opens the tries, and updates them to the head if the last stop left them behind. */
export async function openTries(
  kv: Kv,
  format: StorageFormat,
  keccak: Keccak,
  log: Log,
  anchorBlocks?: number,
): Promise<Tries> {
  const head = META.head.read(kv)
  const anchor = head && anchorOf(kv, readChangedKeys(kv, head.number))
  const nodes = new NodeStore(kv, format === 'FOREST' ? new Anchors(anchor, anchorBlocks) : undefined)
  const mark = readTrieMark(kv)
  const rotation = new TrieRotation(nodes, mark, keccak)
  if (head === undefined || mark.behind >= head.number) return { nodes, rotation }
  const keys = new KeySet()
  for (const account of accountsChangedIn(kv, mark.behind + 1, head.number)) keys.add(account)
  applyKeys({ kv, keccak, rotation, readFlat: (key) => kv.get(key) }, keys)
  const batch = kv.batch()
  nodes.version++
  const repaired = rotation.flushAll(batch, head.number)
  if (!equalBytes(repaired.root, mark.root)) throw corruptFault('the state and its root disagree')
  META.trie.write(batch, repaired)
  await batch.write({ sync: true })
  nodes.settle()
  rotation.forgetStorage()
  log.info('Brought the state trie up to the head', { from: mark.behind, to: head.number })
  return { nodes, rotation }
}

interface ForkRow {
  readonly name: string
  readonly trigger: string
  readonly from: bigint
}

/** The fork schedule of the stored blocks, in the form that is stored. */
function formatSchedule(forks: readonly Fork[]): string {
  return forks.map(({ name, trigger, from }) => `${name} ${trigger} ${from}`).join('\n')
}

/** Refuses a schedule that differs below the head; above it, forks may change. */
function requireSameSchedule(stored: string, forks: readonly Fork[], head: Head): void {
  const before = inEffect(parseSchedule(stored))
  const now = inEffect(forks)
  const hasPassed = ({ trigger, from }: ForkRow): boolean =>
    from <= BigInt(trigger === 'block' ? head.number : head.timestamp)
  for (const fork of [...before, ...now]) {
    const old = before.find(({ name }) => name === fork.name)
    const current = now.find(({ name }) => name === fork.name)
    if (old?.from === current?.from || !hasPassed(fork)) continue
    const sentence =
      `The fork ${fork.name} was ${describeFork(old)} when the stored blocks were made and is ${describeFork(current)} in the ` +
      `genesis file, but the head, block ${head.number}, is past it. Restore the genesis file, or give the node ` +
      'a new --data-path.'
    throw storeFault('STORE_OTHER_SCHEDULE', { sentence, fork: fork.name })
  }
}

function describeFork(fork: ForkRow | undefined): string {
  return fork === undefined ? 'not scheduled' : `at ${fork.trigger} ${fork.from}`
}

/** Omits forks that a later one hides, so naming them makes no difference. */
function inEffect(forks: readonly ForkRow[]): ForkRow[] {
  return forks.filter((fork, index) => {
    const later = forks.slice(index + 1)
    return !later.some(({ trigger, from }) => from <= (trigger === fork.trigger ? fork.from : 0n))
  })
}

function parseSchedule(text: string): ForkRow[] {
  return text.split('\n').flatMap((line) => {
    const [name, trigger, from] = line.split(' ')
    return name && trigger && from ? [{ name, trigger, from: BigInt(from) }] : []
  })
}
