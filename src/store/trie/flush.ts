/**
 * How nodes of the tries reach the disk. Writing each changed node with each block would be four of ten writes,
 * so the nodes stay in memory and their paths are flushed in turn: the paths that begin with the same two nibbles
 * are a group, the groups are dealt to 256 slots, and every block flushes the next slot or, where blocks change
 * many keys, the next few. Each node is then written once per round, in small parts, with the block's own batch.
 *
 * So the trie on disk is a mixture: each group is whole and of one age, at most a round old. That is sound as
 * long as the groups hang at the same places in all ages: if the nodes above them (paths of less than two
 * nibbles) begin or cease to point into a group, all of that trie is flushed. References from above may then be
 * older than what they point to, but only where a key changed since: setting all keys that changed in the last
 * round to their present values gives the present trie, wherever the groups stood. That is the repair after a
 * crash, and the way proofs are made.
 */

import { nodeKey } from '#store/kv/keys.ts'
import type { KvBatch } from '#store/kv/kv.ts'
import { type NodeStore, nodeReaderOf } from '#store/node-store.ts'
import { childRef, isHashRef } from './branch-refs.ts'
import { MAX_INLINE_BYTES, type TrieNode } from './node.ts'
import { type NodeReader, pathText } from './update.ts'

export const SLOTS = 256
const GROUP_NIBBLES = 2
const PATH_NIBBLES = 64
const NO_PATH = new Uint8Array(0)

/** One trie that is wholly or partly in memory. */
export class ResidentTrie {
  /** What its node keys begin with. */
  readonly prefix: Buffer
  readonly readNode: NodeReader
  /** Group g is flushed in slot g XOR this, so that tries do not all flush the same paths at once. */
  readonly slotOffset: number
  root: TrieNode | null
  /** Groups hang elsewhere than on disk: all has to be flushed. */
  hasMovedGroups = false
  /** Keys changed since all of it was flushed last. */
  changedKeys = 0
  readonly #store: NodeStore
  /** Nodes in memory by group, counted when it was flushed last. */
  readonly #resident: number[] = []
  #kept = 0
  /** By group, -1 for the paths above groups. */
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

  /** When the batch is durable, what is not needed leaves memory: leaves, and nodes unchanged for a round. */
  flushGroup(batch: KvBatch, group: number): void {
    const path = new Uint8Array(PATH_NIBBLES)
    this.#kept = 0
    if (this.root !== null) this.#findGroups(this.root, path, 0, group, batch)
    this.#store.residentNodes += this.#kept - (this.#resident[group] ?? 0)
    this.#resident[group] = this.#kept
    this.#writeRemoved(batch, group)
  }

  /** The paths above the groups. */
  flushTop(batch: KvBatch): void {
    if (this.root !== null) this.#writeTop(batch, this.root, new Uint8Array(PATH_NIBBLES), 0)
    this.#writeRemoved(batch, -1)
  }

  /** The root node alone, and what stood there before is kept: proofs of past blocks begin with it. */
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

  /** To be called when the trie leaves memory. */
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

  /** Whether the child is to stay in memory. */
  #flushBelow(child: TrieNode, path: Uint8Array, depth: number, group: number, batch: KvBatch): boolean {
    if (depth < GROUP_NIBBLES) {
      this.#findGroups(child, path, depth, group, batch)
      return true
    }
    return path[0]! * 16 + path[1]! !== group || this.#sweep(batch, child, path, depth)
  }

  /** Writes what is new, and says whether the node is to stay in memory. */
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

/** The groups of which something is in memory. */
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

/** Whether anything down to the groups hangs elsewhere in one of two tries of which one came from the other. */
function groupsMoved(before: TrieNode | null, after: TrieNode | null, depth: number): boolean {
  if (before === after) return false
  // Extensions are this near to the root in small tries only, which are cheap to flush.
  if (before?.kind === 'extension' || after?.kind === 'extension') return true
  if (before?.kind !== 'branch' || after?.kind !== 'branch') {
    return before?.kind === 'branch' || after?.kind === 'branch'
  }
  for (let nibble = 0; nibble < before.children.length; nibble++) {
    // A place that is taken or given up matters above the groups as well: each level is flushed at its own time.
    if (pointsAway(before, nibble) !== pointsAway(after, nibble)) return true
    if (depth + 1 === GROUP_NIBBLES) continue
    // Whatever an update touched it loaded into the trie before: what is not in memory is the same in both.
    if (groupsMoved(before.children[nibble] ?? null, after.children[nibble] ?? null, depth + 1)) return true
  }
  return false
}

function pointsAway(node: TrieNode & { kind: 'branch' }, nibble: number): boolean {
  const ref = childRef(node, nibble)
  return ref !== undefined && isHashRef(ref)
}
