/**
 * Account and storage tries after a past block. The trie on disk mixes ages (trie/rotation.ts) and is newer than
 * blocks below the head. Keys that changed since are set to their values at the block, which restores its nodes. If
 * the root node of the block is known, only keys with the requested first nibbles matter, because the root has the
 * correct references to all others.
 */

import { corruptFault } from '#store/faults.ts'
import { ACCOUNT_TRIE, accountKey, keyText, storageTrie } from '#store/kv/keys.ts'
import type { KvReader } from '#store/kv/kv.ts'
import { META, readTrieMark } from '#store/meta.ts'
import { nodeAt, nodeReaderOf } from '#store/node-store.ts'
import { BRANCH_WIDTH, nibbleAt, type TrieNode } from '#store/trie/node.ts'
import { decodeStoredNode } from '#store/trie/node-codec.ts'
import { splice } from '#store/trie/prove.ts'
import { loadRoot, type NodeReader, sortChanges, type TrieChange, updateTrie } from '#store/trie/update.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import {
  accountsChangedIn,
  type ChangedAccount,
  type ChangedKeys,
  changedSlots,
  readChangedKeys,
} from './changed-keys.ts'
import type { StateAtBlock, StateLimits } from './flat-state.ts'
import { accountLeaf, slotLeaf } from './trie-leaf.ts'

export const ALL_NIBBLES: ReadonlySet<number> = new Set(
  Array.from({ length: BRANCH_WIDTH }, (_, nibble) => nibble),
)

export function nibblesOf(keys: readonly Uint8Array[]): ReadonlySet<number> {
  return new Set(keys.map((key) => nibbleAt(key, 0)))
}

/** The tries on disk, and the changes from there to the block. */
export interface Basis {
  readonly kv: KvReader
  readonly keccak: Keccak
  readonly state: StateAtBlock
  /** Version of the trie right after the block's own batch; undefined if the batch had other blocks. */
  readonly rootVersion: number | undefined
  /** Version of the lower nodes; the current one if undefined. */
  readonly nodeVersion: number | undefined
  /** Changes between that trie and the block, in either direction. */
  readonly changes: readonly ChangedAccount[]
}

export function findBasis(kv: KvReader, { format }: StateLimits, keccak: Keccak, state: StateAtBlock): Basis {
  const own = readChangedKeys(kv, state.number)
  const isAlone = own.batchEnd === state.number
  const rootVersion = isAlone ? own.trieVersion : undefined
  const fromHead = startAtHead(kv, state.number)
  const fromAnchor = format === 'FOREST' ? startAtAnchor(kv, state.number, own) : fromHead
  const start = blocksIn(fromAnchor) < blocksIn(fromHead) ? fromAnchor : fromHead
  const changes = [...accountsChangedIn(kv, start.behind + 1, start.last)]
  return { kv, keccak, state, rootVersion, nodeVersion: start.nodeVersion, changes }
}

/** A stored trie, and the blocks after `behind` up to `last`, whose changes lie between it and the block. */
interface Start extends Pick<Basis, 'nodeVersion'> {
  readonly behind: number
  readonly last: number
}

function blocksIn({ behind, last }: Start): number {
  return last - behind
}

function startAtHead(kv: KvReader, block: number): Start {
  const behind = Math.min(readTrieMark(kv).behind, block)
  return { nodeVersion: undefined, behind, last: META.head.read(kv)!.number }
}

function startAtAnchor(kv: KvReader, block: number, own: ChangedKeys): Start {
  const isAnchor = own.anchor === own.batchEnd
  const { trieVersion, trieBehind } = isAnchor ? own : readChangedKeys(kv, own.anchor)
  const last = isAnchor ? own.batchEnd : block
  return { nodeVersion: trieVersion, behind: Math.min(trieBehind, block), last }
}

export interface TrieAt {
  readonly root: TrieNode | null
  readonly readNode: NodeReader
}

/** Relevant keys begin with one of the nibbles; below others the trie may have another age. */
export function accountTrieAt(basis: Basis, nibbles: ReadonlySet<number>): TrieAt {
  const { keccak, state } = basis
  const root = rootAt(basis, ACCOUNT_TRIE)
  const addresses = new Map<string, Uint8Array>()
  for (const { address } of basis.changes) addresses.set(keyText(accountKey(address)), address)
  const leaves: TrieChange[] = []
  for (const address of addresses.values()) {
    const hash = keccak(address)
    if (root?.kind === 'branch' && !nibbles.has(nibbleAt(hash, 0))) continue
    const record = state.record(address)
    leaves.push({ key: hash, value: record?.isAlive ? accountLeaf(record) : null })
  }
  return trieAt(basis, ACCOUNT_TRIE, root, nibbles, leaves)
}

export function storageTrieAt(
  basis: Basis,
  address: Uint8Array,
  incarnation: number,
  storageRoot: Uint8Array,
  nibbles: ReadonlySet<number>,
): TrieAt {
  const { keccak, state } = basis
  const prefix = storageTrie(address, incarnation)
  const candidate = rootAt(basis, prefix)
  const isRight = candidate !== undefined && equalBytes(keccak(candidate.rlp), storageRoot)
  const root = isRight ? candidate : undefined
  const slots = new Map<string, Uint8Array>()
  for (const account of basis.changes) {
    if (account.incarnation !== incarnation || !equalBytes(account.address, address)) continue
    for (const slot of changedSlots(account)) slots.set(Buffer.from(slot).toString('latin1'), slot)
  }
  const leaves: TrieChange[] = []
  for (const slot of slots.values()) {
    const hash = keccak(slot)
    if (root?.kind === 'branch' && !nibbles.has(nibbleAt(hash, 0))) continue
    const value = state.storage(address, slot)
    leaves.push({ key: hash, value: value === undefined ? null : slotLeaf(withoutZeros(value)) })
  }
  const trie = trieAt(basis, prefix, root, nibbles, leaves)
  if (trie.root === null || !equalBytes(keccak(trie.root.rlp), storageRoot)) {
    throw corruptFault(`the storage trie of 0x${Buffer.from(address).toString('hex')} and its root disagree`)
  }
  return trie
}

/** The root node right after the block, if it is known. */
function rootAt({ kv, rootVersion }: Basis, prefix: Buffer): TrieNode | undefined {
  if (rootVersion === undefined) return undefined
  const rlp = nodeAt(kv, prefix, NO_PATH, 0, rootVersion)
  return rlp === undefined ? undefined : decodeStoredNode(rlp, NO_PATH, 0)
}

const NO_PATH = new Uint8Array(0)

/** The trie on disk with the leaves set, and with the root `known` on top if it is correct. */
function trieAt(
  { kv, keccak, nodeVersion }: Basis,
  prefix: Buffer,
  known: TrieNode | undefined,
  nibbles: ReadonlySet<number>,
  leaves: TrieChange[],
): TrieAt {
  const readNode: NodeReader =
    nodeVersion === undefined
      ? nodeReaderOf(kv, prefix)
      : (path, length) => nodeAt(kv, prefix, path, length, nodeVersion)
  const { root } = updateTrie(loadRoot(readNode), sortChanges(leaves), readNode, keccak)
  if (known?.kind !== 'branch') return { root, readNode }
  return { root: splice(known, root, nibbles, readNode, keccak), readNode }
}

function withoutZeros(word: Uint8Array): Uint8Array {
  let start = 0
  while (start < word.length && word[start] === 0) start++
  return word.subarray(start)
}
