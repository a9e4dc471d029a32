/** The hash of a root, and the nodes of a trie that are to be written. */
import { EMPTY_ROOT } from '#store/state/account-record.ts'
import type { Keccak } from '#types/keccak.ts'
import { MAX_INLINE_BYTES, type TrieNode } from './node.ts'
import { pathText } from './update.ts'

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
