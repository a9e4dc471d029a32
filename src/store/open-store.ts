/** Opens what is on disk, and refuses what does not belong to this network or this program. */

import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Fork } from '#types/genesis/fork-schedule.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { corruptFault, storeFault } from './faults.ts'
import { formatSchedule, requireSameSchedule } from './fork-record.ts'
import { numberKey, TABLE } from './kv/keys.ts'
import { type Kv, type KvReader, openLevelKv } from './kv/kv.ts'
import {
  type Identity,
  readGenesisHash,
  readHead,
  readIdentity,
  readImportMark,
  readSchedule,
  readTrieMark,
  SCHEMA_VERSION,
  type TrieMark,
  writeGenesisHash,
  writeIdentity,
  writeSchedule,
  writeTrieMark,
} from './meta.ts'
import { NodeStore } from './node-store.ts'
import { LedgerReader } from './reader.ts'
import { applyKeys, KeySet } from './state/apply-keys.ts'
import { decodeChangedKeys } from './state/changed-keys.ts'
import type { StateLimits } from './state/flat-state.ts'
import { VersionBase } from './state/state-version.ts'
import type { StorageFormat, Store, StoreReader } from './store.ts'
import { TrieRotation } from './trie/rotation.ts'
import { LedgerStore } from './writer.ts'

export interface StoreOptions {
  readonly path: string
  readonly format: StorageFormat
  /** --bonsai-historical-block-limit: how many states BONSAI keeps, the head's included. */
  readonly historyBlocks: number
  readonly genesisHash: Uint8Array
  readonly forks: readonly Fork[]
  readonly log: Log
  /** Memory for blocks of the database; the first opener in the process decides. */
  readonly cacheBytes?: number
}

/** The trie on disk is up to 256 blocks behind, and its repair needs their lists of changed keys. */
export const MIN_HISTORY_BLOCKS = 257

/** Longer than any of ours, and filled it follows every key there is. */
const MAX_KEY_BYTES = 64

/** On the writer thread, once. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const kv = await openLevelKv(options.path, { createIfMissing: true, ...cacheOption(options) })
  try {
    return await openStoreOn(kv, options)
  } catch (error) {
    await kv.close()
    throw error
  }
}

/** On any thread, beside the writer or alone. */
export async function openStoreReader(
  options: Pick<StoreOptions, 'path' | 'historyBlocks' | 'cacheBytes'>,
): Promise<StoreReader> {
  const kv = await openLevelKv(options.path, { createIfMissing: false, ...cacheOption(options) })
  try {
    const identity = requireReadable(readIdentity(kv))
    requireFinished(kv)
    const limits = limitsOf(identity.format, options.historyBlocks)
    return new LedgerReader(kv, limits, await loadFastKeccak())
  } catch (error) {
    await kv.close()
    throw error
  }
}

/** `openStore` on a database that is open already; tests bring one in memory. */
export async function openStoreOn(kv: Kv, options: Omit<StoreOptions, 'path'>): Promise<LedgerStore> {
  const { format, historyBlocks, log } = options
  await beginStore(kv, options)
  requireFinished(kv)
  const keccak = await loadFastKeccak()
  const nodes = new NodeStore(kv, format === 'FOREST')
  const rotation = new TrieRotation(nodes, readTrieMark(kv), keccak)
  const limits = limitsOf(format, historyBlocks)
  await repairTries(kv, nodes, rotation, keccak, log)
  const base = new VersionBase(kv, keccak, rotation)
  return new LedgerStore({ kv, limits, keccak, base, nodes, log })
}

/** Refuses what is not of this network or not of this program, and marks what is empty. */
export async function beginStore(kv: Kv, options: Omit<StoreOptions, 'path'>): Promise<void> {
  await requireOwnEntries(kv)
  requireSameNetwork(kv, options)
  await writeStart(kv, options)
}

export function requireFinished(kv: KvReader): void {
  if (readImportMark(kv) === undefined) return
  const sentence =
    'The import of a state into this database has not come to its end. Give `cairn state import` the same file ' +
    'again, and it goes on where it was; or remove the directory of the database.'
  throw storeFault('STORE_UNFINISHED', { sentence })
}

function limitsOf(format: StorageFormat, historyBlocks: number): StateLimits {
  return { format, historyBlocks: Math.max(historyBlocks, MIN_HISTORY_BLOCKS) }
}

function cacheOption({ cacheBytes }: { readonly cacheBytes?: number }): { cacheBytes?: number } {
  return cacheBytes === undefined ? {} : { cacheBytes }
}

export function requireReadable(identity: Identity | undefined): Identity {
  if (identity === undefined) {
    const sentence = 'The database holds no chain yet. Start the node or import a chain first.'
    throw storeFault('STORE_MISSING', { sentence })
  }
  if (identity.schemaVersion > SCHEMA_VERSION) {
    const sentence =
      `The database was written by a newer Cairn (schema ${identity.schemaVersion}, this one knows ` +
      `${SCHEMA_VERSION}). Run that version, or give this one another --data-path.`
    throw storeFault('STORE_NEWER', { sentence })
  }
  return identity
}

/** A LevelDB of another program is one to LevelDB; only what is in it tells. */
async function requireOwnEntries(kv: Kv): Promise<void> {
  if (readIdentity(kv) !== undefined) return
  const all = { gte: Uint8Array.of(), lt: new Uint8Array(MAX_KEY_BYTES).fill(255), limit: 1 }
  for await (const [key] of kv.range(all)) {
    const sentence = `The database holds entries (the first is ${formatData(key)}), but not the mark of Cairn: another program made it, or it is damaged. Nothing was written. Give Cairn another --data-path.`
    throw storeFault('STORE_FOREIGN', { sentence })
  }
}

function requireSameNetwork(kv: KvReader, { format, genesisHash, forks }: Omit<StoreOptions, 'path'>): void {
  const found = readIdentity(kv)
  if (found === undefined) return
  const identity = requireReadable(found)
  if (identity.format !== format) {
    const sentence =
      `The database was made with --data-storage-format=${identity.format} and cannot become ${format}. ` +
      `Start with ${identity.format}, or import the chain into a new --data-path.`
    throw storeFault('STORE_OTHER_FORMAT', { sentence })
  }
  const stored = readGenesisHash(kv)
  if (stored !== undefined && !equalBytes(stored, genesisHash)) {
    const sentence =
      `The database belongs to another network: its block 0 is ${formatData(stored)}, that of the genesis file ` +
      `${formatData(genesisHash)}. Use the genesis file it was made with, or another --data-path.`
    throw storeFault('STORE_OTHER_GENESIS', { sentence })
  }
  const head = readHead(kv)
  const schedule = readSchedule(kv)
  if (head !== undefined && schedule !== undefined) requireSameSchedule(schedule, forks, head)
}

async function writeStart(kv: Kv, { format, genesisHash, forks }: Omit<StoreOptions, 'path'>): Promise<void> {
  const schedule = formatSchedule(forks)
  if (readIdentity(kv)?.schemaVersion === SCHEMA_VERSION && readSchedule(kv) === schedule) return
  const batch = kv.batch()
  writeIdentity(batch, { schemaVersion: SCHEMA_VERSION, format })
  writeGenesisHash(batch, genesisHash)
  writeSchedule(batch, schedule)
  await batch.write({ sync: true })
}

/** Brings the tries to the head when the last stop left them behind. */
export async function repairTries(
  kv: Kv,
  nodes: NodeStore,
  rotation: TrieRotation,
  keccak: Keccak,
  log: Log,
): Promise<void> {
  const head = readHead(kv)
  const mark: TrieMark = readTrieMark(kv)
  if (head === undefined || mark.behind >= head.number) return
  const keys = new KeySet()
  for (let block = mark.behind + 1; block <= head.number; block++) {
    const stored = kv.get(numberKey(TABLE.changedKeys, block))
    if (stored === undefined) throw corruptFault(`block ${block} has no list of changed keys`)
    for (const account of decodeChangedKeys(block, stored).accounts) keys.add(account)
  }
  applyKeys({ kv, keccak, rotation, readFlat: (key) => kv.get(key) }, keys)
  const batch = kv.batch()
  nodes.version++
  const repaired = rotation.flushAll(batch, head.number)
  if (!equalBytes(repaired.root, mark.root)) throw corruptFault('the state and its root disagree')
  writeTrieMark(batch, repaired)
  await batch.write({ sync: true })
  nodes.settle()
  rotation.forgetStorage()
  log.info('Brought the state trie up to the head', { from: mark.behind, to: head.number })
}
