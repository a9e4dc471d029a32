/** Decides which parts of the tries are flushed with a block. */
import { ACCOUNT_TRIE, keyText, nodeKey } from '#store/kv/keys.ts'
import type { KvBatch } from '#store/kv/kv.ts'
import type { TrieMark } from '#store/meta.ts'
import { type NodeStore, nodeReaderOf } from '#store/node-store.ts'
import type { Keccak } from '#types/keccak.ts'
import { childRef, isHashRef } from './branch-refs.ts'
import { MAX_INLINE_BYTES, type TrieNode } from './node.ts'
import { loadRoot, type NodeReader, pathText, rootHash } from './update.ts'

/**
 * A round ends after at most this many changed keys and, at one slot per block, 256 blocks. Longer rounds write less,
 * shorter ones are repaired and proven sooner; docs/internals/adr/0006-store.md has the figures.
 */
const KEYS_PER_ROUND = 60_000
/** A storage trie with as many changes in a round is flushed by groups, a smaller one at once. */
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
  /** The block at which each slot was flushed last. */
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

  /** The storage trie at the head, if it is in memory. */
  resident(prefix: Buffer): ResidentTrie | undefined {
    return this.#storage.get(keyText(prefix))
  }

  adoptAccounts(set: TrieChangeSet): void {
    this.accounts.adopt(set.root, set.removed, set.changedKeys)
  }

  /** `before` is the root to which the changes apply. */
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

  /** The account was destroyed: flushes its trie for past states and forgets it. */
  retire(batch: KvBatch, prefix: Buffer): void {
    const trie = this.resident(prefix)
    if (trie === undefined) return
    trie.flushAll(batch)
    this.#forget(trie)
  }

  /** Forgets a trie that never existed. */
  drop(prefix: Buffer): void {
    const trie = this.resident(prefix)
    if (trie !== undefined) this.#forget(trie)
  }

  /** Flushes small tries that grew or whose groups moved. Call it after the changes of a batch were adopted. */
  settle(batch: KvBatch, prefixes: Iterable<Buffer>): void {
    for (const prefix of prefixes) {
      const trie = this.resident(prefix)
      if (trie === undefined || this.#large.has(trie)) continue
      const isLarge = trie.changedKeys >= LARGE_FROM_KEYS
      // Its groups were not flushed in their slots so far, so it starts clean.
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
   * Flushes the parts that are due with `blocks` blocks up to number `block`, at least one slot per block even if
   * they share a batch: the changed keys for repairs are kept for as many blocks only.
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

  /** Forgets all storage tries; call it right after flushAll. */
  forgetStorage(): void {
    for (const trie of [...this.#storage.values()]) this.#forget(trie)
  }

  #flushSlot(batch: KvBatch, slot: number): void {
    this.accounts.flushGroup(batch, slot)
    if (slot === 0) this.accounts.flushTop(batch)
    for (const trie of this.#small[slot]!) {
      // Unchanged for a complete round, so the disk has the current version.
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

/**
 * How trie nodes reach the disk. Writing each changed node with each block would be four of ten writes, so nodes stay
 * in memory and are flushed in turn: paths with the same first two nibbles form a group, groups are dealt to 256
 * slots, and every block flushes the next slot or, if blocks change many keys, several. Each node is then written
 * once per round, in the block's own batch.
 *
 * The trie on disk is therefore a mixture: each group is complete and of one age, at most a round old. That is sound
 * as long as the groups hang at the same places in all ages: if nodes above them (paths of fewer than two nibbles)
 * begin or cease to point into a group, the complete trie is flushed. References from above may be older than their
 * targets, but only if a key changed since: setting all keys that changed in the last round to their current values
 * gives the current trie, whatever the age of the groups. Crash repair and proofs work this way.
 */

const SLOTS = 256
const GROUP_NIBBLES = 2
const PATH_NIBBLES = 64
const NO_PATH = new Uint8Array(0)

/** A trie that is completely or partly in memory. */
class ResidentTrie {
  /** The prefix of its node keys. */
  readonly prefix: Buffer
  readonly readNode: NodeReader
  /** Group g is flushed in slot g XOR this, so tries do not all flush the same paths at once. */
  readonly slotOffset: number
  root: TrieNode | null
  /** True if groups hang elsewhere than on disk, so the complete trie must be flushed. */
  hasMovedGroups = false
  /** Keys changed since the last complete flush. */
  changedKeys = 0
  readonly #store: NodeStore
  /** Nodes in memory by group, counted at its last flush. */
  readonly #resident: number[] = []
  #kept = 0
  /** Removed paths by group, -1 for the paths above groups. */
  readonly #removed = new Map<number, Set<string>>()

  constructor(store: NodeStore, prefix: Buffer, slotOffset: number, root: TrieNode | null) {
    this.#store = store
    this.prefix = prefix
    this.slotOffset = slotOffset
    this.root = root
    this.readNode = nodeReaderOf(store.kv, prefix)
  }

  adopt(root: TrieNode | null, removed: readonly string[], changedKeys: number): void {
    this.hasMovedGroups ||= groupsMoved(this.root, root, 0)
    this.root = root
    this.changedKeys += changedKeys
    for (const path of removed) {
      const group = groupOf(path)
      const paths = this.#removed.get(group)
      if (paths === undefined) this.#removed.set(group, new Set([path]))
      else paths.add(path)
    }
  }

  /** Writes a group. Once the batch is durable, leaves and nodes unchanged for a round are evicted. */
  flushGroup(batch: KvBatch, group: number): void {
    const path = new Uint8Array(PATH_NIBBLES)
    this.#kept = 0
    if (this.root !== null) this.#findGroups(this.root, path, 0, group, batch)
    this.#store.residentNodes += this.#kept - (this.#resident[group] ?? 0)
    this.#resident[group] = this.#kept
    this.#writeRemoved(batch, group)
  }

  /** Writes the paths above the groups. */
  flushTop(batch: KvBatch): void {
    if (this.root !== null) this.#writeTop(batch, this.root, new Uint8Array(PATH_NIBBLES), 0)
    this.#writeRemoved(batch, -1)
  }

  /** Writes the root node and keeps its previous version, because proofs of past blocks begin with it. */
  flushRoot(batch: KvBatch): void {
    if (this.root === null || this.root.isStored) return
    this.#store.write(batch, nodeKey(this.prefix, NO_PATH), this.root, true)
    this.root.isStored = true
    this.#removed.get(-1)?.delete('')
  }

  flushAll(batch: KvBatch): void {
    const groups = this.root === null ? [] : reachedGroups(this.root, new Uint8Array(PATH_NIBBLES), 0)
    for (const group of groups) this.flushGroup(batch, group)
    this.flushTop(batch)
    for (const group of [...this.#removed.keys()]) this.#writeRemoved(batch, group)
    this.changedKeys = 0
    this.hasMovedGroups = false
  }

  /** Call this when the trie leaves memory. */
  forget(): void {
    for (const kept of this.#resident) this.#store.residentNodes -= kept ?? 0
    this.#resident.length = 0
  }

  #findGroups(node: TrieNode, path: Uint8Array, depth: number, group: number, batch: KvBatch): void {
    if (node.kind === 'leaf') return
    if (node.kind === 'extension') {
      path.set(node.path, depth)
      if (node.child === undefined) return
      const isNeeded = this.#flushBelow(node.child, path, depth + node.path.length, group, batch)
      if (!isNeeded) this.#store.forgetLater(node, 0)
      return
    }
    const nibble = depth === 0 ? group >> 4 : group & 0xf
    const child = node.children[nibble]
    if (child === undefined) return
    path[depth] = nibble
    const isNeeded = this.#flushBelow(child, path, depth + 1, group, batch)
    if (!isNeeded) this.#store.forgetLater(node, nibble)
  }

  /** Returns whether the child stays in memory. */
  #flushBelow(child: TrieNode, path: Uint8Array, depth: number, group: number, batch: KvBatch): boolean {
    if (depth < GROUP_NIBBLES) {
      this.#findGroups(child, path, depth, group, batch)
      return true
    }
    return path[0]! * 16 + path[1]! !== group || this.#sweep(batch, child, path, depth)
  }

  /** Writes new nodes and returns whether the node stays in memory. */
  #sweep(batch: KvBatch, node: TrieNode, path: Uint8Array, depth: number): boolean {
    if (node.rlp.length <= MAX_INLINE_BYTES) return false
    const isClean = node.isStored
    if (isClean && this.#store.isFull) return false
    if (!isClean) this.#write(batch, node, path, depth)
    if (node.kind === 'leaf') return false
    this.#kept++
    if (node.kind === 'extension') {
      path.set(node.path, depth)
      if (node.child !== undefined && !this.#sweep(batch, node.child, path, depth + node.path.length)) {
        this.#store.forgetLater(node, 0)
      }
      return true
    }
    for (let nibble = 0; nibble < node.children.length; nibble++) {
      const child = node.children[nibble]
      if (child === undefined) continue
      path[depth] = nibble
      if (!this.#sweep(batch, child, path, depth + 1)) this.#store.forgetLater(node, nibble)
    }
    return true
  }

  #writeTop(batch: KvBatch, node: TrieNode, path: Uint8Array, depth: number): void {
    if (depth >= GROUP_NIBBLES || (depth > 0 && node.rlp.length <= MAX_INLINE_BYTES)) return
    if (!node.isStored) this.#write(batch, node, path, depth)
    if (node.kind === 'extension') {
      path.set(node.path, depth)
      if (node.child !== undefined) this.#writeTop(batch, node.child, path, depth + node.path.length)
    } else if (node.kind === 'branch') {
      for (let nibble = 0; nibble < node.children.length; nibble++) {
        const child = node.children[nibble]
        if (child === undefined) continue
        path[depth] = nibble
        this.#writeTop(batch, child, path, depth + 1)
      }
    }
  }

  #write(batch: KvBatch, node: TrieNode, path: Uint8Array, depth: number): void {
    this.#store.write(batch, nodeKey(this.prefix, path, depth), node, false)
    node.isStored = true
    if (this.#removed.size === 0) return
    const text = pathText(path, depth)
    this.#removed.get(groupOf(text))?.delete(text)
  }

  #writeRemoved(batch: KvBatch, group: number): void {
    for (const text of this.#removed.get(group) ?? []) {
      const path = Uint8Array.from(text, (digit) => Number.parseInt(digit, 16))
      this.#store.write(batch, nodeKey(this.prefix, path), null, false)
    }
    this.#removed.delete(group)
  }
}

/** Groups with nodes in memory. */
function reachedGroups(node: TrieNode, path: Uint8Array, depth: number): number[] {
  if (depth >= GROUP_NIBBLES) return [path[0]! * 16 + path[1]!]
  if (node.kind === 'leaf') return []
  if (node.kind === 'extension') {
    path.set(node.path, depth)
    return node.child === undefined ? [] : reachedGroups(node.child, path, depth + node.path.length)
  }
  return node.children.flatMap((child, nibble) => {
    if (child === undefined) return []
    path[depth] = nibble
    return reachedGroups(child, path, depth + 1)
  })
}

function groupOf(path: string): number {
  return path.length < GROUP_NIBBLES ? -1 : Number.parseInt(path.slice(0, GROUP_NIBBLES), 16)
}

/** Whether any position down to the groups differs between two tries, one derived from the other. */
function groupsMoved(before: TrieNode | null, after: TrieNode | null, depth: number): boolean {
  if (before === after) return false
  // Extensions are this close to the root in small tries only, which are cheap to flush.
  if (before?.kind === 'extension' || after?.kind === 'extension') return true
  if (before?.kind !== 'branch' || after?.kind !== 'branch') {
    return before?.kind === 'branch' || after?.kind === 'branch'
  }
  for (let nibble = 0; nibble < before.children.length; nibble++) {
    // A position that appears or disappears matters above the groups as well, because each level is flushed at its
    // own time.
    if (pointsAway(before, nibble) !== pointsAway(after, nibble)) return true
    if (depth + 1 === GROUP_NIBBLES) continue
    // An update loads every node it touches, so nodes that are not in memory are the same in both.
    if (groupsMoved(before.children[nibble] ?? null, after.children[nibble] ?? null, depth + 1)) return true
  }
  return false
}

function pointsAway(node: TrieNode & { kind: 'branch' }, nibble: number): boolean {
  const ref = childRef(node, nibble)
  return ref !== undefined && isHashRef(ref)
}
