/** Which parts of which tries are flushed with a block: see flush.ts. */
import { ACCOUNT_TRIE, keyText } from '#store/kv/keys.ts'
import type { KvBatch } from '#store/kv/kv.ts'
import type { TrieMark } from '#store/meta.ts'
import type { NodeStore } from '#store/node-store.ts'
import type { Keccak } from '#types/keccak.ts'
import { ResidentTrie, SLOTS } from './flush.ts'
import { rootHash } from './new-nodes.ts'
import type { TrieNode } from './node.ts'
import { loadRoot } from './update.ts'

/**
 * A round is over after at most this many changed keys (and, at a slot per block, 256 blocks). Longer rounds write
 * less, shorter ones are repaired and proven sooner; docs/adr/0006-store.md has the figures.
 */
const KEYS_PER_ROUND = 60_000
/** A storage trie that changed as much in a round is flushed by groups, a smaller one in one piece. */
const LARGE_FROM_KEYS = 64

export interface TrieChangeSet {
  readonly prefix: Buffer
  readonly slotOffset: number
  readonly root: TrieNode | null
  readonly removed: readonly string[]
  readonly changedKeys: number
}

export class TrieRotation {
  readonly accounts: ResidentTrie
  readonly #store: NodeStore
  readonly #keccak: Keccak
  readonly #storage = new Map<string, ResidentTrie>()
  /** Small storage tries by the slot in which they are flushed. */
  readonly #small: readonly Set<ResidentTrie>[] = Array.from({ length: SLOTS }, () => new Set<ResidentTrie>())
  readonly #large = new Set<ResidentTrie>()
  /** When each slot was flushed last. */
  readonly #flushedAt: number[]
  #nextSlot: number

  constructor(store: NodeStore, mark: TrieMark, keccak: Keccak) {
    this.#store = store
    this.#keccak = keccak
    this.accounts = new ResidentTrie(store, ACCOUNT_TRIE, 0, null)
    this.accounts.root = loadRoot(this.accounts.readNode)
    this.#flushedAt = new Array(SLOTS).fill(mark.behind)
    this.#nextSlot = mark.nextSlot % SLOTS
    store.version = mark.version
  }

  /** The storage trie as of the head, when it is in memory. */
  resident(prefix: Buffer): ResidentTrie | undefined {
    return this.#storage.get(keyText(prefix))
  }

  adoptAccounts(set: TrieChangeSet): void {
    this.accounts.adopt(set.root, set.removed, set.changedKeys)
  }

  /** `before` is the root that the changes began with. */
  adoptStorage(set: TrieChangeSet, before: TrieNode | null): void {
    const text = keyText(set.prefix)
    let trie = this.#storage.get(text)
    if (trie === undefined) {
      trie = new ResidentTrie(this.#store, set.prefix, set.slotOffset, before)
      this.#storage.set(text, trie)
      this.#small[set.slotOffset]!.add(trie)
    }
    trie.adopt(set.root, set.removed, set.changedKeys)
  }

  /** The account is gone and with it the trie; on disk it stays as it was last, for the past. */
  retire(batch: KvBatch, prefix: Buffer): void {
    const trie = this.resident(prefix)
    if (trie === undefined) return
    trie.flushAll(batch)
    this.#forget(trie)
  }

  /** The trie never was. */
  drop(prefix: Buffer): void {
    const trie = this.resident(prefix)
    if (trie !== undefined) this.#forget(trie)
  }

  /** Small tries that grew, or whose groups moved; to be asked after the changes of a batch were adopted. */
  settle(batch: KvBatch, prefixes: Iterable<Buffer>): void {
    for (const prefix of prefixes) {
      const trie = this.resident(prefix)
      if (trie === undefined || this.#large.has(trie)) continue
      const isLarge = trie.changedKeys >= LARGE_FROM_KEYS
      // Its groups were not flushed in their slots so far, so that it begins its life by groups with a clean one.
      if (isLarge || trie.hasMovedGroups) trie.flushAll(batch)
      if (!isLarge) continue
      this.#small[trie.slotOffset]!.delete(trie)
      this.#large.add(trie)
    }
  }

  isLarge(prefix: Buffer): boolean {
    const trie = this.resident(prefix)
    return trie !== undefined && this.#large.has(trie)
  }

  /**
   * What falls due with so many blocks, the last of which has the number `block`. At least a slot for each, also
   * when they share a batch: the lists of changed keys that repair the trie are kept for as many blocks only.
   */
  flush(batch: KvBatch, block: number, blocks: number, changedKeys: number): TrieMark {
    if (this.accounts.hasMovedGroups) this.accounts.flushAll(batch)
    this.accounts.flushRoot(batch)
    for (const trie of this.#large) {
      if (trie.hasMovedGroups) trie.flushAll(batch)
      trie.flushRoot(batch)
    }
    const slots = Math.min(SLOTS, Math.max(blocks, Math.ceil((SLOTS * changedKeys) / KEYS_PER_ROUND)))
    for (let count = 0; count < slots; count++) {
      this.#flushSlot(batch, this.#nextSlot)
      this.#flushedAt[this.#nextSlot] = block
      this.#nextSlot = (this.#nextSlot + 1) % SLOTS
    }
    return this.#mark()
  }

  flushAll(batch: KvBatch, block: number): TrieMark {
    this.accounts.flushAll(batch)
    for (const trie of this.#storage.values()) trie.flushAll(batch)
    this.#flushedAt.fill(block)
    return this.#mark()
  }

  /** Forgets all of memory but the trie of accounts; only right after flushAll. */
  forgetStorage(): void {
    for (const trie of [...this.#storage.values()]) this.#forget(trie)
  }

  #flushSlot(batch: KvBatch, slot: number): void {
    this.accounts.flushGroup(batch, slot)
    if (slot === 0) this.accounts.flushTop(batch)
    for (const trie of this.#small[slot]!) {
      // Not changed for a whole round: what is asked of it again is on disk.
      if (trie.changedKeys === 0) this.#forget(trie)
      else trie.flushAll(batch)
    }
    for (const trie of this.#large) {
      if (slot === trie.slotOffset) this.#endRound(batch, trie)
      else trie.flushGroup(batch, slot ^ trie.slotOffset)
    }
  }

  #endRound(batch: KvBatch, trie: ResidentTrie): void {
    if (trie.changedKeys < LARGE_FROM_KEYS) {
      trie.flushAll(batch)
      this.#large.delete(trie)
      this.#small[trie.slotOffset]!.add(trie)
      return
    }
    trie.flushGroup(batch, 0)
    trie.flushTop(batch)
    trie.changedKeys = 0
  }

  #forget(trie: ResidentTrie): void {
    trie.forget()
    this.#storage.delete(keyText(trie.prefix))
    this.#small[trie.slotOffset]!.delete(trie)
    this.#large.delete(trie)
  }

  #mark(): TrieMark {
    return {
      version: this.#store.version,
      behind: Math.min(...this.#flushedAt),
      nextSlot: this.#nextSlot,
      root: rootHash(this.accounts.root, this.#keccak),
    }
  }
}
