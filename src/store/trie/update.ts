/**
 * Sets and deletes many keys of a trie at once. Nothing changes in place: the result shares equal parts, so the old
 * trie and several candidates coexist. Every given key is hashed up to the root even if its value is unchanged,
 * because references above it may be older than their targets (rotation.ts).
 */

import { corruptFault } from '#store/faults.ts'
import { EMPTY_ROOT } from '#store/state/account-record.ts'
import { compareBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { childRef, EMPTY_BRANCH_RLP, isHashRef, replaceRefs } from './branch-refs.ts'
import {
  BRANCH_WIDTH,
  type BranchNode,
  type ExtensionNode,
  KEY_NIBBLES,
  type LeafNode,
  MAX_INLINE_BYTES,
  nibbleAt,
  type TrieNode,
} from './node.ts'
import { createExtension, createLeaf, decodeNode, decodeStoredNode } from './node-codec.ts'

/** Reads the stored node (node-codec.ts) at the first `length` nibbles of `path`. */
export type NodeReader = (path: Uint8Array, length: number) => Uint8Array | undefined

export interface TrieChange {
  readonly key: Uint8Array
  /** Null deletes the key. */
  readonly value: Uint8Array | null
  /** True if the key is known to be in the trie, so its leaf need not be read. */
  readonly existed?: boolean
}

export interface TrieUpdate {
  readonly root: TrieNode | null
  /** Paths, one character per nibble, at which a stored node may have become obsolete. */
  readonly removed: readonly string[]
}

const NO_REFS: readonly undefined[] = new Array(BRANCH_WIDTH).fill(undefined)

/** `changes` ascend by key without repetitions. */
export function updateTrie(
  root: TrieNode | null,
  changes: readonly TrieChange[],
  readNode: NodeReader,
  keccak: Keccak,
): TrieUpdate {
  if (changes.length === 0) return { root, removed: [] }
  const update = new Update(changes, readNode, keccak)
  const next = update.applyTo(root, 0, 0, changes.length)
  if (root !== null && next === null) update.removed.push('')
  return { root: next, removed: update.removed }
}

export function sortChanges(changes: TrieChange[]): TrieChange[] {
  return changes.sort((a, b) => compareBytes(a.key, b.key))
}

export function rootHash(root: TrieNode | null, keccak: Keccak): Uint8Array {
  return root === null ? EMPTY_ROOT : keccak(root.rlp)
}

/** Returns null if the trie is empty. */
export function loadRoot(readNode: NodeReader): TrieNode | null {
  const stored = readNode(new Uint8Array(0), 0)
  return stored === undefined ? null : decodeStoredNode(stored, new Uint8Array(0), 0)
}

/** The child below `nibble` from memory, its parent or the store; null if there is none. */
export function loadChild(
  branch: BranchNode,
  nibble: number,
  path: Uint8Array,
  depth: number,
  readNode: NodeReader,
): TrieNode | null {
  const known = branch.children[nibble]
  if (known !== undefined) return known
  const ref = childRef(branch, nibble)
  if (ref === undefined) return null
  const child = loadRef(ref, path, depth, readNode)
  branch.children[nibble] = child
  return child
}

export function loadExtended(
  extension: ExtensionNode,
  path: Uint8Array,
  depth: number,
  readNode: NodeReader,
): TrieNode {
  extension.child ??= loadRef(extension.ref, path, depth, readNode)
  return extension.child
}

function loadRef(ref: Uint8Array, path: Uint8Array, depth: number, readNode: NodeReader): TrieNode {
  if (!isHashRef(ref)) return decodeNode(ref, path, depth)
  const stored = readNode(path, depth)
  if (stored === undefined)
    throw corruptFault(`the trie has no node at ${pathText(path, depth) || 'its root'}`)
  return decodeStoredNode(stored, path, depth)
}

export function pathText(path: Uint8Array, length: number): string {
  let text = ''
  for (let index = 0; index < length; index++) text += path[index]!.toString(16)
  return text
}

/** The encoded reference to a node. */
export function refOf(node: TrieNode, keccak: Keccak): Uint8Array {
  if (node.rlp.length <= MAX_INLINE_BYTES) return node.rlp
  const ref = new Uint8Array(33)
  ref[0] = 0xa0
  ref.set(keccak(node.rlp), 1)
  return ref
}

class Update {
  readonly removed: string[] = []
  /** Nibbles from the root to the current position; each level writes its own. */
  readonly #path = new Uint8Array(KEY_NIBBLES)
  readonly #changes: readonly TrieChange[]
  readonly #readNode: NodeReader
  readonly #keccak: Keccak

  constructor(changes: readonly TrieChange[], readNode: NodeReader, keccak: Keccak) {
    this.#changes = changes
    this.#readNode = readNode
    this.#keccak = keccak
  }

  /** Applies changes `from` to `to`, which all lie below the node at `depth`. */
  applyTo(node: TrieNode | null, depth: number, from: number, to: number): TrieNode | null {
    if (node === null) return this.#build(this.#changes.slice(from, to).filter(isSet), depth)
    switch (node.kind) {
      case 'leaf':
        return this.#applyToLeaf(node, depth, from, to)
      case 'extension':
        return this.#applyToExtension(node, depth, from, to)
      case 'branch':
        return this.#applyToBranch(node, depth, from, to)
    }
  }

  #applyToLeaf(leaf: LeafNode, depth: number, from: number, to: number): TrieNode | null {
    const entries = this.#changes.slice(from, to)
    const place = entries.findIndex(({ key }) => compareBytes(key, leaf.key) >= 0)
    const isOverwritten = place >= 0 && compareBytes(entries[place]!.key, leaf.key) === 0
    if (!isOverwritten) entries.splice(place < 0 ? entries.length : place, 0, leaf)
    return this.#build(entries.filter(isSet), depth)
  }

  #applyToBranch(branch: BranchNode, depth: number, from: number, to: number): TrieNode | null {
    const children = branch.children.slice()
    const refs: (Uint8Array | null | undefined)[] = NO_REFS.slice()
    let { leaves } = branch
    for (let start = from; start < to; ) {
      const nibble = nibbleAt(this.#changes[start]!.key, depth)
      let end = start + 1
      while (end < to && nibbleAt(this.#changes[end]!.key, depth) === nibble) end++
      this.#path[depth] = nibble
      const child = this.#applyToChild(branch, nibble, depth + 1, start, end)
      const ref = child === null ? null : refOf(child, this.#keccak)
      children[nibble] = child ?? undefined
      refs[nibble] = ref
      leaves = child?.kind === 'leaf' ? leaves | (1 << nibble) : leaves & ~(1 << nibble)
      this.#path[depth] = nibble
      if (ref === null || !isHashRef(ref)) this.#remove(depth + 1)
      start = end
    }
    const { rlp, count } = replaceRefs(branch.rlp, refs)
    if (count === 0) return null
    const next: BranchNode = { kind: 'branch', rlp, leaves, children, isStored: false }
    return count === 1 ? this.#collapse(next, depth) : next
  }

  #applyToChild(
    branch: BranchNode,
    nibble: number,
    depth: number,
    from: number,
    to: number,
  ): TrieNode | null {
    const { key, value, existed } = this.#changes[from]!
    if (existed && to - from === 1 && branch.leaves & (1 << nibble)) {
      // A leaf on the path to an existing key must be its own.
      return value === null ? null : createLeaf(key, value, depth)
    }
    return this.applyTo(loadChild(branch, nibble, this.#path, depth, this.#readNode), depth, from, to)
  }

  /** A branch with one child is replaced by the child, moved up or below an extension. */
  #collapse(branch: BranchNode, depth: number): TrieNode {
    let nibble = 0
    while (childRef(branch, nibble) === undefined) nibble++
    this.#path[depth] = nibble
    const child = loadChild(branch, nibble, this.#path, depth + 1, this.#readNode)
    if (child === null) throw corruptFault('a branch of the trie lost its last child')
    return this.#prefix(Uint8Array.of(nibble), child, depth)
  }

  #applyToExtension(extension: ExtensionNode, depth: number, from: number, to: number): TrieNode | null {
    const { path } = extension
    const shared = Math.min(
      sharedNibbles(path, this.#changes[from]!.key, depth),
      sharedNibbles(path, this.#changes[to - 1]!.key, depth),
    )
    this.#path.set(path, depth)
    if (shared === path.length) {
      const below = loadExtended(extension, this.#path, depth + shared, this.#readNode)
      const next = this.applyTo(below, depth + shared, from, to)
      this.#path.set(path, depth)
      if (next === null) this.#remove(depth + shared)
      return next === null ? null : this.#prefix(path, next, depth)
    }
    const next = this.#applyToBranch(this.#split(extension, shared), depth + shared, from, to)
    this.#path.set(path.subarray(0, shared), depth)
    if (next === null || shared === 0) return next
    return this.#prefix(path.slice(0, shared), next, depth)
  }

  /** Splits an extension: a branch with one child, the rest of the extension. */
  #split(extension: ExtensionNode, at: number): BranchNode {
    const nibble = extension.path[at]!
    const rest = extension.path.slice(at + 1)
    const below = rest.length === 0 ? undefined : createExtension(rest, extension.ref, extension.child)
    const children: (TrieNode | undefined)[] = new Array(BRANCH_WIDTH)
    children[nibble] = below ?? extension.child
    const refs: (Uint8Array | undefined)[] = NO_REFS.slice()
    refs[nibble] = below === undefined ? extension.ref : refOf(below, this.#keccak)
    // The rest of an extension is never a leaf.
    const { rlp } = replaceRefs(EMPTY_BRANCH_RLP, refs)
    return { kind: 'branch', rlp, leaves: 0, children, isStored: false }
  }

  /** The node at `depth` if `node` hangs at the end of `path`. */
  #prefix(path: Uint8Array, node: TrieNode, depth: number): TrieNode {
    if (node.kind === 'branch') return createExtension(path, refOf(node, this.#keccak), node)
    this.#path.set(path, depth)
    this.#remove(depth + path.length)
    if (node.kind === 'leaf') return createLeaf(node.key, node.value, depth)
    const joined = new Uint8Array(path.length + node.path.length)
    joined.set(path)
    joined.set(node.path, path.length)
    return createExtension(joined, node.ref, node.child)
  }

  /** Builds a trie from entries that ascend by key. */
  #build(entries: readonly SetChange[], depth: number): TrieNode | null {
    const first = entries[0]
    const last = entries.at(-1)
    if (first === undefined || last === undefined) return null
    if (entries.length === 1) return createLeaf(first.key, first.value, depth)
    let fork = depth
    while (nibbleAt(first.key, fork) === nibbleAt(last.key, fork)) fork++
    const children: (TrieNode | undefined)[] = new Array(BRANCH_WIDTH)
    const refs: (Uint8Array | undefined)[] = NO_REFS.slice()
    let leaves = 0
    for (let start = 0; start < entries.length; ) {
      const nibble = nibbleAt(entries[start]!.key, fork)
      let end = start + 1
      while (end < entries.length && nibbleAt(entries[end]!.key, fork) === nibble) end++
      const child = this.#build(entries.slice(start, end), fork + 1)!
      children[nibble] = child
      refs[nibble] = refOf(child, this.#keccak)
      if (child.kind === 'leaf') leaves |= 1 << nibble
      start = end
    }
    const { rlp } = replaceRefs(EMPTY_BRANCH_RLP, refs)
    const branch: BranchNode = { kind: 'branch', rlp, leaves, children, isStored: false }
    if (fork === depth) return branch
    const path = Uint8Array.from({ length: fork - depth }, (_, index) => nibbleAt(first.key, depth + index))
    return createExtension(path, refOf(branch, this.#keccak), branch)
  }

  #remove(length: number): void {
    this.removed.push(pathText(this.#path, length))
  }
}

interface SetChange {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

function isSet(change: TrieChange): change is SetChange {
  return change.value !== null
}

/** Number of nibbles of `path` that the key shares from `depth` on. */
function sharedNibbles(path: Uint8Array, key: Uint8Array, depth: number): number {
  let shared = 0
  while (shared < path.length && path[shared] === nibbleAt(key, depth + shared)) shared++
  return shared
}
