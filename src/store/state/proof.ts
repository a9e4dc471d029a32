/** Proofs of accounts and slots as of a block. */

import type { KvReader } from '#store/kv/kv.ts'
import type { AccountProof, StorageProof } from '#store/store.ts'
import { proofOf } from '#store/trie/prove.ts'
import type { Keccak } from '#types/keccak.ts'
import { accountValue, EMPTY_ROOT } from './account-record.ts'
import { openStateAt, type StateLimits } from './flat-state.ts'
import { accountTrieAt, findBasis, nibblesOf, storageTrieAt } from './state-trie.ts'

export function proveAt(
  kv: KvReader,
  limits: StateLimits,
  keccak: Keccak,
  number: number,
  address: Uint8Array,
  slots: readonly Uint8Array[],
): AccountProof {
  const state = openStateAt(kv, number, limits)
  const basis = findBasis(kv, limits, keccak, state)
  const record = state.record(address)
  const key = keccak(address)
  const trie = accountTrieAt(basis, nibblesOf([key]))
  const proof = {
    account: accountValue(record),
    nodes: proofOf(trie.root, key, trie.readNode),
    storage: slots.map((slot): StorageProof => ({ slot, value: undefined, nodes: [] })),
  }
  if (record === undefined || !record.isAlive || record.storageRoot === EMPTY_ROOT || slots.length === 0) {
    return proof
  }
  const keys = slots.map((slot) => keccak(slot))
  const storage = storageTrieAt(basis, address, record.incarnation, record.storageRoot, nibblesOf(keys))
  return {
    ...proof,
    storage: slots.map((slot, index) => ({
      slot,
      value: state.storage(address, slot),
      nodes: proofOf(storage.root, keys[index]!, storage.readNode),
    })),
  }
}
