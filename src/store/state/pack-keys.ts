/** Packs the lists of changed keys of old blocks, in an archive of states: accounts and slots change again and again. */

import { numberKey, TABLE } from '#store/kv/keys.ts'
import type { KvBatch, KvReader } from '#store/kv/kv.ts'
import { KeySet } from './apply-keys.ts'
import { type ChangedKeys, encodeChangedKeys, encodePack, readChangedKeys } from './changed-keys.ts'

/** A proof sets all keys of the packs that it reads, so a pack has at most about as many keys as half a flush round. */
const PACK_BLOCKS = 1_024
const PACK_KEYS = 32_768

export interface PackWork {
  /** Called between two blocks. */
  readonly pause: () => Promise<void> | undefined
  readonly isStopped: () => boolean
}

export interface KeyPack {
  readonly last: number
  /** Replaces the lists. */
  write(batch: KvBatch): void
}

/** Collects keys of blocks before `end`, which no rewind reaches. Returns undefined if nothing is left or it was stopped. */
export async function collectPack(
  kv: KvReader,
  first: number,
  end: number,
  { pause, isStopped }: PackWork,
): Promise<KeyPack | undefined> {
  const set = new KeySet()
  const lists: ChangedKeys[] = []
  while (first + lists.length < end && lists.length < PACK_BLOCKS && set.size < PACK_KEYS) {
    const keys = readChangedKeys(kv, first + lists.length)
    // A rewind may still cut the batch and write its lists again.
    if (keys.batchEnd >= end) break
    for (const account of keys.accounts) set.add(account)
    lists.push({ ...keys, accounts: [] })
    await pause()
    if (isStopped()) return undefined
  }
  if (lists.length === 0) return undefined
  const last = first + lists.length - 1
  const pack = encodePack(set.changed())
  return {
    last,
    write(batch) {
      batch.put(numberKey(TABLE.packedKeys, last), pack)
      for (const [index, keys] of lists.entries()) {
        const block = first + index
        batch.put(
          numberKey(TABLE.changedKeys, block),
          encodeChangedKeys(block, { ...keys, packedInto: last }),
        )
      }
    },
  }
}
