/**
 * Anchors: the versions at which an archive of states keeps the tries. Every node keeps the content that it had at each
 * anchor, and nothing in between. A trie after a later block is the one at the block's anchor, with the keys set that
 * changed since.
 */
import type { KvReader } from '#store/kv/kv.ts'
import { type ChangedKeys, readChangedKeys } from './changed-keys.ts'

export interface Anchor {
  /** The last block of its batch. */
  readonly block: number
  readonly version: number
}

/**
 * An anchor follows the one before after at most this many blocks, or about as many changed keys: two flush rounds
 * (trie/rotation.ts). Longer distances keep fewer nodes, and a proof sets more keys.
 */
const ANCHOR_BLOCKS = 1_024
const ANCHOR_KEYS = 120_000

export class Anchors {
  readonly #blocks: number
  #latest: Anchor | undefined
  #keys = 0

  /** `latest` is the anchor of the head; undefined without a head. */
  constructor(latest: Anchor | undefined, blocks = ANCHOR_BLOCKS) {
    this.#latest = latest
    this.#blocks = blocks
  }

  /** Content that is older must be kept when it is replaced. */
  get version(): number {
    return this.#latest?.version ?? 0
  }

  /** Called with each batch, named by its last block and version. Returns the block of its anchor. */
  follow(batch: Anchor, changedKeys: number): number {
    this.#keys += changedKeys
    const latest = this.#latest
    const isDue =
      latest === undefined || batch.block - latest.block >= this.#blocks || this.#keys >= ANCHOR_KEYS
    if (!isDue) return latest.block
    this.rewind(batch)
    return batch.block
  }

  rewind(latest: Anchor): void {
    this.#latest = latest
    this.#keys = 0
  }
}

export function anchorOf(kv: KvReader, { anchor, batchEnd, trieVersion }: ChangedKeys): Anchor {
  const version = anchor === batchEnd ? trieVersion : readChangedKeys(kv, anchor).trieVersion
  return { block: anchor, version }
}
