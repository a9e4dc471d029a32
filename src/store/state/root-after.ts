/** The root of a stored state with changes on top of it that nobody commits: those of a simulation. */

import type { KvReader } from '#store/kv/kv.ts'
import type { RootAfter } from '#store/store.ts'
import { rootHash } from '#store/trie/new-nodes.ts'
import { sortChanges, type TrieChange, updateTrie } from '#store/trie/update.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import type { Keccak } from '#types/keccak.ts'
import { type AccountRecord, EMPTY_ROOT } from './account-record.ts'
import { type AddressEntries, readEntries } from './derive-state.ts'
import { openStateAt, type StateAtBlock, type StateLimits } from './flat-state.ts'
import { ALL_NIBBLES, accountTrieAt, type Basis, findBasis, nibblesOf, storageTrieAt } from './state-trie.ts'
import { accountLeaf, slotLeaf } from './trie-leaf.ts'

export function rootAfter(
  kv: KvReader,
  limits: StateLimits,
  keccak: Keccak,
  number: number,
  changes: Uint8Array,
): RootAfter {
  const state = openStateAt(kv, number, limits)
  const basis = findBasis(kv, limits, keccak, state)
  const leaves: TrieChange[] = []
  const storageRoots = new Map<Address, Uint8Array>()
  for (const entry of readEntries(changes).entries) {
    const leaf = leafAfter(basis, state, entry, storageRoots)
    if (leaf !== undefined) leaves.push(leaf)
  }
  const { root, readNode } = accountTrieAt(basis, nibblesFor(leaves))
  const updated = updateTrie(root, sortChanges(leaves), readNode, keccak)
  return { root: rootHash(updated.root, keccak), storageRoots }
}

function leafAfter(
  basis: Basis,
  state: StateAtBlock,
  entry: AddressEntries,
  storageRoots: Map<Address, Uint8Array>,
): TrieChange | undefined {
  const before = state.record(entry.address)
  const survivor = before?.isAlive && !entry.isDestroyed ? before : undefined
  const key = basis.keccak(entry.address)
  const fields = entry.account ?? survivor
  if (fields === undefined) {
    assert(entry.slots.length === 0, 'Storage belongs to an account that exists.')
    return before?.isAlive ? { key, value: null } : undefined
  }
  const { nonce, balance, codeHash } = fields
  const storageRoot = storageRootAfter(basis, entry, survivor)
  storageRoots.set(addressFromBytes(entry.address), storageRoot)
  return { key, value: accountLeaf({ isAlive: true, incarnation: 0, nonce, balance, codeHash, storageRoot }) }
}

function storageRootAfter(
  basis: Basis,
  { address, slots }: AddressEntries,
  before: AccountRecord | undefined,
): Uint8Array {
  const rootBefore = before?.storageRoot ?? EMPTY_ROOT
  if (slots.length === 0) return rootBefore
  const { keccak } = basis
  const leaves = slots.map(({ slot, value }) => ({
    key: keccak(slot),
    value: value.length === 0 ? null : slotLeaf(value),
  }))
  const trie =
    before === undefined || rootBefore === EMPTY_ROOT
      ? { root: null, readNode: () => undefined }
      : storageTrieAt(basis, address, before.incarnation, rootBefore, nibblesFor(leaves))
  return rootHash(updateTrie(trie.root, sortChanges(leaves), trie.readNode, keccak).root, keccak)
}

/** Where a key goes, its branch may go too, and then its neighbours have to be right as well. */
function nibblesFor(leaves: readonly TrieChange[]): ReadonlySet<number> {
  if (leaves.some(({ value }) => value === null)) return ALL_NIBBLES
  return nibblesOf(leaves.map(({ key }) => key))
}
