import type { TrieNode } from './node.ts'
import { writeStoredNode } from './node-codec.ts'

const ROOM_BYTES = 4_096

/** The bytes under which a node is stored. */
export function encodeStoredNode(node: TrieNode): Uint8Array {
  const stored = new Uint8Array(ROOM_BYTES)
  return stored.slice(0, writeStoredNode(stored, 0, node))
}
