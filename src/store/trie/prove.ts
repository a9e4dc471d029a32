/** Proofs out of tries: the nodes on the way to a key. */
import { corruptFault } from '#store/faults.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { childRef } from './branch-refs.ts'
import { BranchNode, KEY_NIBBLES, MAX_INLINE_BYTES, nibbleAt, type TrieNode } from './node.ts'
import { createExtension, createLeaf } from './node-codec.ts'
import { loadChild, loadExtended, type NodeReader, refOf } from './update.ts'

/** RLP of every node from the root on that does not stand within its parent; ends where the key is, or would be. */
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
 * The root node `known` with the children under `nibbles` taken from another trie. They must be the ones that
 * `known` refers to: this is where a trie that went wrong is noticed.
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
  return new BranchNode(known.rlp, known.leaves, children, true)
}

/** What would hang under a nibble if the root were a branch. */
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
