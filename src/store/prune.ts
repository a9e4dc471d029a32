/** Removes the history of states that are not kept, block by block, in small batches between commits. */

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
} from './kv/keys.ts'
import type { KvBatch } from './kv/kv.ts'
import { writeLowest } from './meta.ts'
import { decodeChangeHead } from './state/change-chain.ts'
import { type ChangedAccount, decodeChangedKeys, slotsOf } from './state/changed-keys.ts'
import type { VersionBase } from './state/state-version.ts'

/** One batch ends after as many keys; some milliseconds of work. */
const SLICE_KEYS = 4_000

/**
 * Puts into the batch what removes history from the block after `lowest` on, up to `target` or until the slice is
 * full. Returns the new lowest.
 */
export function pruneSlice(batch: KvBatch, base: VersionBase, lowest: number, target: number): number {
  let block = lowest
  for (let keys = 0; block < target && keys < SLICE_KEYS; ) {
    block++
    const stored = base.kv.get(numberKey(TABLE.changedKeys, block))
    if (stored === undefined) continue
    const { accounts, trieVersion } = decodeChangedKeys(block, stored)
    for (const account of accounts) keys += pruneAccount(batch, base, account, block, trieVersion)
    batch.delete(replacedNodeKey(ACCOUNT_TRIE, trieVersion))
    // The list of the lowest block itself is kept: it says when the block was, and where the trie stood.
    batch.delete(numberKey(TABLE.changedKeys, block - 1))
  }
  writeLowest(batch, block)
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

/** A slot that became zero and stayed so need not be known any more: nothing before can be asked for. */
function dropIfZeroSince(batch: KvBatch, base: VersionBase, key: Buffer, block: number): void {
  const text = keyText(key)
  const stored = base.stored(text)
  if (stored === undefined) return
  const head = decodeChangeHead(stored)
  if (head.lastChange !== block || head.length !== stored.length) return
  batch.delete(key)
  base.cache.set(text, null)
}
