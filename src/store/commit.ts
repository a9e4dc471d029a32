/** Writes one batch for one or several blocks, including the parts of the tries that are due. */

import { encodeBlob, encodeHeaderBlob } from './kv/blob.ts'
import { accountKey, blockKey, hashKey, numberKey, storageKey, storageTrie, TABLE } from './kv/keys.ts'
import type { KvBatch } from './kv/kv.ts'
import { ValueWriter } from './kv/varint.ts'
import { writeLogIndex } from './logged-blocks.ts'
import { META } from './meta.ts'
import type { NodeStore } from './node-store.ts'
import { MAX_ACCOUNT_RECORD_BYTES, writeAccountRecord } from './state/account-record.ts'
import { type ChangedAccount, encodeChangedKeys } from './state/changed-keys.ts'
import { writeChange } from './state/history.ts'
import type { AccountChange, Version, VersionBase } from './state/state-version.ts'
import type { NewBlock, StoredBlock, TracedBlock } from './store.ts'
import { writeTraceIndex } from './traced-blocks.ts'

const BLOBS = ['header', 'body', 'receipts', 'callTrees', 'edits'] as const
const accountScratch = new Uint8Array(MAX_ACCOUNT_RECORD_BYTES)
const NO_SLOTS = new Uint8Array(0)

export interface BlockToCommit {
  readonly block: NewBlock
  readonly version: Version
}

export function writeBlocks(
  batch: KvBatch,
  base: VersionBase,
  nodes: NodeStore,
  blocks: readonly BlockToCommit[],
  lowest: number,
): void {
  const last = blocks.at(-1)!.block
  let changedKeys = 0
  // Values of earlier blocks in the batch are not on disk yet, and the cache may evict them.
  const written = blocks.length > 1 ? new Map<string, Uint8Array>() : undefined
  for (const { block, version } of blocks) {
    writeBlobs(batch, block)
    writeCanonical(batch, block)
    writeLogIndex(batch, block.number, block.logAddresses, block.logTopics)
    if (block.parties !== undefined) writeTraceIndex(batch, block.number, block.parties)
    writeState(batch, base, version, { number: block.number, lowest, written })
    changedKeys += version.changedKeys
  }
  adoptTries(batch, base, blocks)
  // Block 0 may have a million accounts, and no earlier block needs their keys.
  const isGenesis = blocks[0]!.block.number === 0
  const { rotation } = base
  const mark = isGenesis
    ? rotation.flushAll(batch, last.number)
    : rotation.flush(batch, last.number, blocks.length, changedKeys)
  META.trie.write(batch, mark)
  const batchEnd = last.number
  const anchor = nodes.anchors?.follow({ block: batchEnd, version: mark.version }, changedKeys) ?? batchEnd
  for (const { block, version } of blocks) {
    const accounts = block.number === 0 ? [] : (version.content?.changes ?? [])
    const record = encodeChangedKeys(block.number, {
      timestamp: block.timestamp,
      trieVersion: mark.version,
      batchEnd,
      trieBehind: mark.behind,
      anchor,
      packedInto: undefined,
      accounts: accounts.map((change) => changedAccount(base, change)),
    })
    batch.put(numberKey(TABLE.changedKeys, block.number), record)
  }
  const { number, hash, timestamp } = last
  META.head.write(batch, { number, hash, timestamp, unwinds: META.head.read(base.kv)?.unwinds ?? 0 })
}

/** A block before an imported state has no body. */
export interface BlobsOfBlock extends Omit<StoredBlock, 'body' | 'timestamp'> {
  readonly body: Uint8Array | undefined
}

export function writeBlobs(batch: KvBatch, block: BlobsOfBlock): void {
  for (const name of BLOBS) {
    const bytes = block[name]
    if (bytes === undefined) continue
    const blob = name === 'header' ? encodeHeaderBlob(bytes) : encodeBlob(bytes)
    batch.put(blockKey(TABLE[name], block.number, block.hash), blob)
  }
  const number = new ValueWriter()
  number.varint(block.number)
  batch.put(hashKey(TABLE.number, block.hash), number.view())
}

export function writeCallTrees(batch: KvBatch, { number, hash, callTrees }: TracedBlock): void {
  batch.put(blockKey(TABLE.callTrees, number, hash), encodeBlob(callTrees))
}

export function writeCanonical(
  batch: KvBatch,
  block: Pick<NewBlock, 'number' | 'hash' | 'transactionHashes'>,
): void {
  batch.put(numberKey(TABLE.canonical, block.number), block.hash)
  const place = new ValueWriter()
  for (const [index, hash] of block.transactionHashes.entries()) {
    place.clear()
    place.varint(block.number)
    place.varint(index)
    batch.put(hashKey(TABLE.transaction, hash), place.view())
  }
}

interface StateBatch {
  readonly number: number
  readonly lowest: number
  readonly written: Map<string, Uint8Array> | undefined
}

function writeState(
  batch: KvBatch,
  base: VersionBase,
  version: Version,
  { number, lowest, written }: StateBatch,
): void {
  for (const [hash, code] of version.content?.codes ?? []) {
    batch.put(hashKey(TABLE.code, Buffer.from(hash, 'latin1')), encodeBlob(code))
  }
  const write = (key: Buffer, text: string, payload: Uint8Array): boolean => {
    const stored = written?.get(text) ?? base.stored(text)
    const flat = writeChange(batch, key, stored, payload, number, lowest)
    written?.set(text, flat)
    base.cache.set(text, flat)
    return stored === undefined
  }
  for (const { address, hash, after, slots, text } of version.content?.changes ?? []) {
    const end = writeAccountRecord(accountScratch, 0, after)
    const isNew = write(accountKey(address), text, accountScratch.subarray(0, end))
    if (isNew) batch.put(hashKey(TABLE.addressPreimage, hash), address)
    for (const { slot, hash: slotHash, value, text: slotText } of slots) {
      const isNewSlot = write(storageKey(address, after.incarnation, slot), slotText, value)
      if (isNewSlot) batch.put(hashKey(TABLE.slotPreimage, slotHash), slot)
    }
  }
}

function adoptTries(batch: KvBatch, base: VersionBase, blocks: readonly BlockToCommit[]): void {
  const { rotation } = base
  const touched = new Map<string, Buffer>()
  for (const { version } of blocks) {
    if (version.content === undefined) continue
    rotation.adoptAccounts(version.content.accountTrie)
    for (const { address, before, wasDestroyed } of version.content.changes) {
      if (wasDestroyed && before !== undefined)
        rotation.retire(batch, storageTrie(address, before.incarnation))
    }
    for (const [text, trie] of version.content.storageTries) {
      rotation.adoptStorage(trie, trie.before)
      touched.set(text, trie.prefix)
    }
  }
  rotation.settle(batch, touched.values())
}

function changedAccount(
  base: VersionBase,
  { address, after, wasDestroyed, slots }: AccountChange,
): ChangedAccount {
  const { incarnation } = after
  if (slots.length === 0) {
    const nothing = { hasFreshRoot: false, zeroedSlots: NO_SLOTS, slots: NO_SLOTS }
    return { address, incarnation, wasDestroyed, ...nothing }
  }
  return {
    address,
    incarnation,
    wasDestroyed,
    hasFreshRoot: base.rotation.isLarge(storageTrie(address, incarnation)),
    zeroedSlots: Buffer.concat(slots.filter(({ value }) => value.length === 0).map(({ slot }) => slot)),
    slots: Buffer.concat(slots.filter(({ value }) => value.length > 0).map(({ slot }) => slot)),
  }
}
