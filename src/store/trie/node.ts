/**
 * Nodes of a Merkle Patricia trie whose keys are hashes: 64 nibbles, so that no key begins another and branches
 * have no values. A node is immutable and keeps its RLP, which is what is hashed, stored and proven; changing a
 * branch means copying its bytes. Only `children` and `isStored` change: they are memory of what is on disk.
 */
export type TrieNode = BranchNode | ExtensionNode | LeafNode

export const KEY_NIBBLES = 64
export const KEY_BYTES = 32
/** A node as short as this stands in its parent itself; a longer one by its hash. */
export const MAX_INLINE_BYTES = 31

export const BRANCH_WIDTH = 16

export class LeafNode {
  readonly kind = 'leaf'
  /** The whole key, wherever in the trie the leaf hangs. */
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly rlp: Uint8Array
  isStored: boolean

  constructor(key: Uint8Array, value: Uint8Array, rlp: Uint8Array, isStored: boolean) {
    this.key = key
    this.value = value
    this.rlp = rlp
    this.isStored = isStored
  }
}

export class ExtensionNode {
  readonly kind = 'extension'
  readonly path: Uint8Array
  /** The encoded reference to its branch. */
  readonly ref: Uint8Array
  readonly rlp: Uint8Array
  child: TrieNode | undefined
  isStored: boolean

  constructor(
    path: Uint8Array,
    ref: Uint8Array,
    rlp: Uint8Array,
    child: TrieNode | undefined,
    isStored: boolean,
  ) {
    this.path = path
    this.ref = ref
    this.rlp = rlp
    this.child = child
    this.isStored = isStored
  }
}

export class BranchNode {
  readonly kind = 'branch'
  readonly rlp: Uint8Array
  /** Bit n: the child under nibble n is a leaf. Such a child need not be loaded to be replaced. */
  readonly leaves: number
  /** Those that are in memory. */
  readonly children: (TrieNode | undefined)[]
  isStored: boolean

  constructor(rlp: Uint8Array, leaves: number, children: (TrieNode | undefined)[], isStored: boolean) {
    this.rlp = rlp
    this.leaves = leaves
    this.children = children
    this.isStored = isStored
  }
}

export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1]!
  return index & 1 ? byte & 0xf : byte >> 4
}
