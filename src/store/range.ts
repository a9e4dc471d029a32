/** Accounts and slots of a state in the order of their hashes, from one hash on. */
import { assert } from '#types/assert.ts'
import type { Keccak } from '#types/keccak.ts'
import type { KvReader } from './kv/kv.ts'
import { EMPTY_ROOT } from './state/account-record.ts'
import { openStateAt, type StateLimits, storageWord } from './state/flat-state.ts'
import { ALL_NIBBLES, accountTrieAt, findBasis, storageTrieAt, type TrieAt } from './state/state-trie.ts'
import type { HashedSlot } from './store.ts'
import { BRANCH_WIDTH, KEY_NIBBLES, type LeafNode, nibbleAt, type TrieNode } from './trie/node.ts'
import { loadChild, loadExtended, type NodeReader } from './trie/update.ts'

export interface KeyRange {
  /** 32 bytes; the first hash that counts. */
  readonly from: Uint8Array
  readonly limit: number
}

export function accountHashesAt(
  kv: KvReader,
  limits: StateLimits,
  keccak: Keccak,
  number: number,
  range: KeyRange,
): Uint8Array[] {
  const basis = findBasis(kv, limits, keccak, openStateAt(kv, number, limits))
  return leavesFrom(accountTrieAt(basis, ALL_NIBBLES), range).map(({ key }) => key)
}

export function slotsAt(
  kv: KvReader,
  limits: StateLimits,
  keccak: Keccak,
  number: number,
  address: Uint8Array,
  range: KeyRange,
): HashedSlot[] {
  const state = openStateAt(kv, number, limits)
  const record = state.record(address)
  if (record === undefined || !record.isAlive || record.storageRoot === EMPTY_ROOT) return []
  const basis = findBasis(kv, limits, keccak, state)
  const trie = storageTrieAt(basis, address, record.incarnation, record.storageRoot, ALL_NIBBLES)
  return leavesFrom(trie, range).map(({ key, value }) => ({ hash: key, value: wordOfLeaf(value) }))
}

/** Leaves of slots are the RLP of a number: one small byte itself, or a length and the bytes. */
function wordOfLeaf(leaf: Uint8Array): Uint8Array {
  const word = storageWord(leaf.length === 1 ? leaf : leaf.subarray(1))
  assert(word !== undefined, 'A slot in a trie is not zero.')
  return word
}

function leavesFrom({ root, readNode }: TrieAt, { from, limit }: KeyRange): LeafNode[] {
  const path = new Uint8Array(KEY_NIBBLES)
  const first = Uint8Array.from({ length: KEY_NIBBLES }, (_, index) => nibbleAt(from, index))
  const leaves: LeafNode[] = []
  visit({ leaves, limit, path, first, readNode }, root, 0, true)
  return leaves
}

interface Walk {
  readonly leaves: LeafNode[]
  readonly limit: number
  readonly path: Uint8Array
  readonly first: Uint8Array
  readonly readNode: NodeReader
}

/** `isEdge`: the path so far is the beginning of the first key, so that lower nibbles are passed over. */
function visit(walk: Walk, node: TrieNode | null, depth: number, isEdge: boolean): void {
  const { leaves, limit, path, first, readNode } = walk
  if (node === null || leaves.length >= limit) return
  if (node.kind === 'leaf') {
    const nibbles = Uint8Array.from({ length: KEY_NIBBLES }, (_, index) => nibbleAt(node.key, index))
    if (!isEdge || compareFrom(nibbles, first, depth) >= 0) leaves.push(node)
    return
  }
  if (node.kind === 'extension') {
    path.set(node.path, depth)
    const end = depth + node.path.length
    const order = isEdge ? compareFrom(path.subarray(0, end), first.subarray(0, end), depth) : 1
    if (order >= 0) visit(walk, loadExtended(node, path, end, readNode), end, order === 0)
    return
  }
  for (let nibble = isEdge ? first[depth]! : 0; nibble < BRANCH_WIDTH; nibble++) {
    path[depth] = nibble
    visit(
      walk,
      loadChild(node, nibble, path, depth + 1, readNode),
      depth + 1,
      isEdge && nibble === first[depth],
    )
  }
}

function compareFrom(a: Uint8Array, b: Uint8Array, start: number): number {
  for (let index = start; index < a.length; index++) if (a[index] !== b[index]) return a[index]! - b[index]!
  return 0
}
