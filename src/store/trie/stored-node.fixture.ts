import { MAX_INLINE_BYTES, type TrieNode } from './node.ts'
import { writeStoredNode } from './node-codec.ts'
import { pathText } from './update.ts'

const ROOM_BYTES = 4_096

/** The stored bytes of a node. */
export function encodeStoredNode(node: TrieNode): Uint8Array {
  const stored = new Uint8Array(ROOM_BYTES)
  return stored.slice(0, writeStoredNode(stored, 0, node))
}

/** Visits every node that must be stored; inline nodes are part of their parents. */
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
