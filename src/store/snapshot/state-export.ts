/** Exports the head's state of a stopped node in hash order, each value once, with little memory. */

import { loadFastKeccak } from '#platform/fast-keccak.ts'
import type { Log } from '#platform/log/log.ts'
import { corruptFault } from '#store/faults.ts'
import { decodeBlob } from '#store/kv/blob.ts'
import { ACCOUNT_TRIE, accountKey, hashKey, storageTrie, TABLE } from '#store/kv/keys.ts'
import { type Kv, openLevelKvFor } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { nodeReaderOf } from '#store/node-store.ts'
import { openTries, requireFinished, requireReadable } from '#store/open-store.ts'
import { StoreReader } from '#store/reader.ts'
import {
  type AccountRecord,
  decodeAccountRecord,
  EMPTY_CODE_HASH,
  EMPTY_ROOT,
} from '#store/state/account-record.ts'
import { changePayload } from '#store/state/change-chain.ts'
import { slotOfLeaf } from '#store/state/trie-leaf.ts'
import { leavesFrom } from '#store/trie/leaves.ts'
import type { LeafNode } from '#store/trie/node.ts'
import { loadRoot } from '#store/trie/update.ts'

export interface ExportedAccount {
  readonly address: Uint8Array
  /** Without leading zeros. */
  readonly nonce: Uint8Array
  readonly balance: Uint8Array
  /** Undefined without code. */
  readonly codeHash: Uint8Array | undefined
  slots(): Generator<ExportedSlot, void, undefined>
}

export interface ExportedSlot {
  readonly slot: Uint8Array
  /** Without leading zeros; not zero. */
  readonly value: Uint8Array
}

interface StateExportOptions {
  readonly historyBlocks: number
  readonly log: Log
}

export interface StateExport {
  readonly kv: Kv
  readonly reader: StoreReader
  accounts(): Generator<ExportedAccount, void, undefined>
  code(hash: Uint8Array): Uint8Array
  close(): Promise<void>
}

/** Updates the tries to the head first, as a node start would. */
export function openStateExport({
  path,
  ...options
}: StateExportOptions & { readonly path: string }): Promise<StateExport> {
  return openLevelKvFor(path, { createIfMissing: false }, (kv) => openStateExportOn(kv, options))
}

/** The same on an open database; tests use one in memory. */
export async function openStateExportOn(
  kv: Kv,
  { historyBlocks, log }: StateExportOptions,
): Promise<StateExport> {
  const { format } = requireReadable(META.identity.read(kv))
  requireFinished(kv)
  const keccak = loadFastKeccak()
  await openTries(kv, format, keccak, log)
  return {
    kv,
    reader: new StoreReader(kv, { format, historyBlocks }, keccak),
    accounts: () => accountsOf(kv),
    code: (hash) => codeOf(kv, hash),
    close: () => kv.close(),
  }
}

function* accountsOf(kv: Kv): Generator<ExportedAccount, void, undefined> {
  for (const { key } of storedLeaves(kv, ACCOUNT_TRIE)) {
    const account = findAccount(kv, key)
    if (account === undefined) throw corruptFault('an account of the trie is in no table')
    const { address, record } = account
    const { nonce, balance, codeHash, storageRoot, incarnation } = record
    yield {
      address,
      nonce,
      balance,
      codeHash: codeHash === EMPTY_CODE_HASH ? undefined : codeHash,
      slots: function* () {
        if (storageRoot !== EMPTY_ROOT) yield* slotsOf(kv, storageTrie(address, incarnation))
      },
    }
  }
}

export interface FoundAccount {
  readonly address: Uint8Array
  readonly record: AccountRecord
}

/** The living account whose address has this hash. */
export function findAccount(kv: Kv, hash: Uint8Array): FoundAccount | undefined {
  const address = kv.get(hashKey(TABLE.addressPreimage, hash))
  const stored = address && kv.get(accountKey(address))
  const record = stored && decodeAccountRecord(changePayload(stored))
  return address !== undefined && record?.isAlive ? { address, record } : undefined
}

/** The leaves of a trie on disk, in key order. */
export function storedLeaves(kv: Kv, trie: Buffer): Generator<LeafNode, void, undefined> {
  const readNode = nodeReaderOf(kv, trie)
  return leavesFrom(loadRoot(readNode), readNode)
}

function* slotsOf(kv: Kv, trie: Buffer): Generator<ExportedSlot, void, undefined> {
  for (const { key, value } of storedLeaves(kv, trie)) {
    const slot = kv.get(hashKey(TABLE.slotPreimage, key))
    if (slot === undefined) throw corruptFault('a slot of the trie is in no table')
    yield { slot, value: slotOfLeaf(value) }
  }
}

function codeOf(kv: Kv, hash: Uint8Array): Uint8Array {
  const stored = kv.get(hashKey(TABLE.code, hash))
  if (stored === undefined) throw corruptFault('the code of an account is missing')
  return decodeBlob(stored)
}
