/** Pruning deletes the history of states that the format does not keep, a slice at a time. */

import {
  ACCOUNT_TRIE,
  accountKey,
  historyKey,
  keyText,
  numberKey,
  replacedNodeKey,
  storageKey,
  storageTrie,
  TABLE,
  WORD_BYTES,
} from '#store/kv/keys.ts'
import type { KvBatch } from '#store/kv/kv.ts'
import { META } from '#store/meta.ts'
import { decodeChangeHead } from './change-chain.ts'
import { type ChangedAccount, decodeChangedKeys, slotsOf } from './changed-keys.ts'
import type { VersionBase } from './state-version.ts'

/** Keys per batch, some milliseconds of work. */
const SLICE_KEYS = 4_000

/** Adds deletions of history after `lowest`, up to `target` or until the slice is full. Returns the new lowest. */
export function pruneSlice(batch: KvBatch, base: VersionBase, lowest: number, target: number): number {
  let block = lowest
  for (let keys = 0; block < target && keys < SLICE_KEYS; ) {
    block++
    const stored = base.kv.get(numberKey(TABLE.changedKeys, block))
    if (stored === undefined) continue
    const { accounts, trieVersion } = decodeChangedKeys(block, stored)
    for (const account of accounts) keys += pruneAccount(batch, base, account, block, trieVersion)
    batch.delete(replacedNodeKey(ACCOUNT_TRIE, trieVersion))
    // The changed keys of the lowest block are kept for its timestamp and trie version.
    batch.delete(numberKey(TABLE.changedKeys, block - 1))
  }
  META.lowest.write(batch, block)
  return block
}

function pruneAccount(
  batch: KvBatch,
  base: VersionBase,
  { address, incarnation, zeroedSlots, slots, hasFreshRoot }: ChangedAccount,
  block: number,
  trieVersion: number,
): number {
  batch.delete(historyKey(accountKey(address), block))
  for (const slot of slotsOf(slots)) batch.delete(historyKey(storageKey(address, incarnation, slot), block))
  for (const slot of slotsOf(zeroedSlots)) {
    const key = storageKey(address, incarnation, slot)
    batch.delete(historyKey(key, block))
    dropIfZeroSince(batch, base, key, block)
  }
  if (hasFreshRoot) batch.delete(replacedNodeKey(storageTrie(address, incarnation), trieVersion))
  return 1 + (slots.length + zeroedSlots.length) / WORD_BYTES
}

/** A slot that became zero and stayed zero can be dropped, because no earlier state is readable. */
function dropIfZeroSince(batch: KvBatch, base: VersionBase, key: Buffer, block: number): void {
  const text = keyText(key)
  const stored = base.stored(text)
  if (stored === undefined) return
  const head = decodeChangeHead(stored)
  if (head.lastChange !== block || head.length !== stored.length) return
  batch.delete(key)
  base.cache.set(text, null)
}
