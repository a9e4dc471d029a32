/** The root as a pure function of changes and stored nodes: the port that a native implementation may fill. */
import { EMPTY_ROOT } from '#store/account-record.ts'
import type { Keccak } from '#types/keccak.ts'
import { MAX_INLINE_BYTES, type TrieNode } from './node.ts'
import { encodeStoredNode } from './node-codec.ts'
import { loadRoot, type NodeReader, pathText, sortChanges, type TrieChange, updateTrie } from './update.ts'

/** A node by its path, one character per nibble; null: to be deleted. */
export type NodeWrites = ReadonlyMap<string, Uint8Array | null>

export interface ComputedRoot {
  readonly root: Uint8Array
  readonly nodeWrites: NodeWrites
}

export function computeRoot(
  changes: readonly TrieChange[],
  readNode: NodeReader,
  keccak: Keccak,
): ComputedRoot {
  const { root, removed } = updateTrie(loadRoot(readNode), sortChanges([...changes]), readNode, keccak)
  const nodeWrites = new Map<string, Uint8Array | null>(removed.map((path) => [path, null]))
  if (root !== null) {
    visitNew(root, new Uint8Array(64), 0, (node, path) => nodeWrites.set(path, encodeStoredNode(node)))
  }
  return { root: rootHash(root, keccak), nodeWrites }
}

export function rootHash(root: TrieNode | null, keccak: Keccak): Uint8Array {
  return root === null ? EMPTY_ROOT : keccak(root.rlp)
}

/** Every node that is not stored yet and needs to be: not those that stand within their parents. */
export function visitNew(
  node: TrieNode,
  path: Uint8Array,
  depth: number,
  visit: (node: TrieNode, path: string) => void,
): void {
  if (node.isStored || (depth > 0 && node.rlp.length <= MAX_INLINE_BYTES)) return
  visit(node, pathText(path, depth))
  if (node.kind === 'extension') {
    path.set(node.path, depth)
    if (node.child !== undefined) visitNew(node.child, path, depth + node.path.length, visit)
  } else if (node.kind === 'branch') {
    for (let nibble = 0; nibble < node.children.length; nibble++) {
      const child = node.children[nibble]
      if (child === undefined) continue
      path[depth] = nibble
      visitNew(child, path, depth + 1, visit)
    }
  }
}
