/** Merkle proofs: the nodes on the path to a key. */
import { corruptFault } from '#store/faults.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { childRef } from './branch-refs.ts'
import { type BranchNode, KEY_NIBBLES, MAX_INLINE_BYTES, nibbleAt, type TrieNode } from './node.ts'
import { createExtension, createLeaf } from './node-codec.ts'
import { loadChild, loadExtended, type NodeReader, refOf } from './update.ts'

/** Returns the RLP of every node from the root on that is not inlined, up to the key or the place where it would be. */
export function proofOf(root: TrieNode | null, key: Uint8Array, readNode: NodeReader): Uint8Array[] {
  const nodes: Uint8Array[] = []
  const path = Uint8Array.from({ length: KEY_NIBBLES }, (_, index) => nibbleAt(key, index))
  let node = root
  let depth = 0
  while (node !== null) {
    if (depth === 0 || node.rlp.length > MAX_INLINE_BYTES) nodes.push(node.rlp)
    if (node.kind === 'leaf') break
    if (node.kind === 'branch') {
      node = loadChild(node, path[depth]!, path, depth + 1, readNode)
      depth++
      continue
    }
    const { path: own } = node
    if (!equalBytes(own, path.subarray(depth, depth + own.length))) break
    node = loadExtended(node, path, depth + own.length, readNode)
    depth += own.length
  }
  return nodes
}

/**
 * Replaces the children under `nibbles` of the root `known` by those of another trie. `known` must refer to them,
 * which detects a damaged trie.
 */
export function splice(
  known: BranchNode,
  from: TrieNode | null,
  nibbles: ReadonlySet<number>,
  readNode: NodeReader,
  keccak: Keccak,
): BranchNode {
  const children: (TrieNode | undefined)[] = new Array(known.children.length)
  for (const nibble of nibbles) {
    const child = childOf(from, nibble, readNode)
    const ref = childRef(known, nibble)
    const isSame =
      child === null || ref === undefined
        ? child === null && ref === undefined
        : equalBytes(refOf(child, keccak), ref)
    if (!isSame) throw corruptFault('the trie and the history of the state disagree')
    children[nibble] = child ?? undefined
  }
  return { ...known, children, isStored: true }
}

/** The child under a nibble if the root were a branch. */
function childOf(root: TrieNode | null, nibble: number, readNode: NodeReader): TrieNode | null {
  if (root === null) return null
  if (root.kind === 'branch') return loadChild(root, nibble, Uint8Array.of(nibble), 1, readNode)
  if (root.kind === 'leaf') {
    return nibbleAt(root.key, 0) === nibble ? createLeaf(root.key, root.value, 1) : null
  }
  if (root.path[0] !== nibble) return null
  if (root.path.length === 1) return loadExtended(root, root.path, 1, readNode)
  return createExtension(root.path.slice(1), root.ref, root.child)
}
