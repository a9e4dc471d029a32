/**
 * Nodes of a Merkle Patricia trie with hashed keys of 64 nibbles, so no key is a prefix of another and branches have
 * no values. A node is immutable and keeps its RLP, which is hashed, stored and proven; changing a branch copies its
 * bytes. Only `children` and `isStored` change, because they mirror the disk.
 */
export type TrieNode = BranchNode | ExtensionNode | LeafNode

export const KEY_NIBBLES = 64
export const KEY_BYTES = 32
/** Nodes up to this length are inlined in their parents; longer ones are referred to by hash. */
export const MAX_INLINE_BYTES = 31

export const BRANCH_WIDTH = 16

export interface LeafNode {
  readonly kind: 'leaf'
  /** The complete key, independent of the leaf's depth. */
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly rlp: Uint8Array
  isStored: boolean
}

export interface ExtensionNode {
  readonly kind: 'extension'
  readonly path: Uint8Array
  /** The encoded reference to its branch. */
  readonly ref: Uint8Array
  readonly rlp: Uint8Array
  child: TrieNode | undefined
  isStored: boolean
}

export interface BranchNode {
  readonly kind: 'branch'
  readonly rlp: Uint8Array
  /** Bit n is set if the child under nibble n is a leaf, which can be replaced without loading it. */
  readonly leaves: number
  /** Children in memory. */
  readonly children: (TrieNode | undefined)[]
  isStored: boolean
}

export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1]!
  return index & 1 ? byte & 0xf : byte >> 4
}
