import { compareBytes } from '#types/bytes.ts'
import { BRANCH_WIDTH, KEY_BYTES, KEY_NIBBLES, type LeafNode, nibbleAt, type TrieNode } from './node.ts'
import { loadChild, loadExtended, type NodeReader } from './update.ts'

interface Walk {
  readonly key: Uint8Array
  /** The nibbles of `key`. */
  readonly first: Uint8Array
  readonly path: Uint8Array
  readonly readNode: NodeReader
}

/** Yields the leaves from `key` on, in key order. Visited nodes are dropped, so little of the trie is in memory. */
export function leavesFrom(
  root: TrieNode | null,
  readNode: NodeReader,
  key: Uint8Array = new Uint8Array(KEY_BYTES),
): Generator<LeafNode, void, undefined> {
  const first = Uint8Array.from({ length: KEY_NIBBLES }, (_, index) => nibbleAt(key, index))
  return visit({ key, first, path: new Uint8Array(KEY_NIBBLES), readNode }, root, 0, true)
}

/** `isEdge` is true while the path is a prefix of the first key, so lower nibbles are skipped. */
function* visit(
  walk: Walk,
  node: TrieNode | null,
  depth: number,
  isEdge: boolean,
): Generator<LeafNode, void, undefined> {
  const { key, first, path, readNode } = walk
  if (node === null) return
  if (node.kind === 'leaf') {
    if (!isEdge || compareBytes(node.key, key) >= 0) yield node
    return
  }
  if (node.kind === 'extension') {
    path.set(node.path, depth)
    const end = depth + node.path.length
    const order = isEdge ? compareBytes(node.path, first.subarray(depth, end)) : 1
    if (order >= 0) yield* visit(walk, loadExtended(node, path, end, readNode), end, order === 0)
    return
  }
  for (let nibble = isEdge ? first[depth]! : 0; nibble < BRANCH_WIDTH; nibble++) {
    path[depth] = nibble
    const child = loadChild(node, nibble, path, depth + 1, readNode)
    yield* visit(walk, child, depth + 1, isEdge && nibble === first[depth])
    node.children[nibble] = undefined
  }
}
