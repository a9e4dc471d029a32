/** Derives the state after a block from its changes: flat records, tries and the root. */

import { ACCOUNT_TRIE, accountKey, keyText, storageKey, storageTrie, WORD_BYTES } from '#store/kv/keys.ts'
import { nodeReaderOf } from '#store/node-store.ts'
import { rootHash, sortChanges, type TrieChange, updateTrie } from '#store/trie/update.ts'
import { ADDRESS_BYTES } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { equalBytes } from '#types/bytes.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  ACCOUNT_NONCE,
  CODE_BYTES,
  readStateChanges,
  STORAGE_SLOT,
  STORAGE_VALUE,
} from '#types/state-changes.ts'
import { type AccountRecord, deadAccount, EMPTY_CODE_HASH, EMPTY_ROOT } from './account-record.ts'
import {
  type AccountChange,
  type SlotChange,
  type StorageTrieChange,
  Version,
  type VersionContent,
} from './state-version.ts'
import { accountLeaf, slotLeaf } from './trie-leaf.ts'

/** The changes of one address. */
export interface AddressEntries {
  readonly address: Uint8Array
  isDestroyed: boolean
  account: Pick<AccountRecord, 'nonce' | 'balance' | 'codeHash'> | undefined
  readonly slots: { readonly slot: Uint8Array; readonly value: Uint8Array }[]
}

export function deriveVersion(parent: Version, bytes: Uint8Array): Version {
  const { entries, codes } = readEntries(bytes)
  const derivation = new Derivation(parent)
  for (const entry of entries) derivation.add(entry)
  const content = derivation.finish(codes)
  return new Version(parent.base, parent, content.root, content)
}

export function readEntries(bytes: Uint8Array): {
  entries: AddressEntries[]
  codes: Map<string, Uint8Array>
} {
  const entries: AddressEntries[] = []
  const codes = new Map<string, Uint8Array>()
  const entryAt = (offset: number): AddressEntries => {
    const last = entries.at(-1)
    const address = bytes.subarray(offset, offset + ADDRESS_BYTES)
    if (last !== undefined && equalBytes(last.address, address)) return last
    const entry: AddressEntries = { address, isDestroyed: false, account: undefined, slots: [] }
    entries.push(entry)
    return entry
  }
  readStateChanges(bytes, {
    destroyed(_, offset) {
      entryAt(offset).isDestroyed = true
    },
    account(_, offset) {
      const codeHash = bytes.subarray(offset + ACCOUNT_CODE_HASH, offset + ACCOUNT_CODE_HASH + WORD_BYTES)
      entryAt(offset).account = {
        nonce: trimmed(bytes, offset + ACCOUNT_NONCE, 8),
        balance: trimmed(bytes, offset + ACCOUNT_BALANCE, WORD_BYTES),
        codeHash: equalBytes(codeHash, EMPTY_CODE_HASH) ? EMPTY_CODE_HASH : codeHash,
      }
    },
    storage(_, offset) {
      const slot = bytes.subarray(offset + STORAGE_SLOT, offset + STORAGE_SLOT + WORD_BYTES)
      entryAt(offset).slots.push({ slot, value: trimmed(bytes, offset + STORAGE_VALUE, WORD_BYTES) })
    },
    code(_, offset, length) {
      const hash = Buffer.from(bytes.buffer, bytes.byteOffset + offset, WORD_BYTES).toString('latin1')
      codes.set(hash, bytes.subarray(offset + CODE_BYTES, offset + CODE_BYTES + length))
    },
  })
  return { entries, codes }
}

class Derivation {
  readonly #parent: Version
  readonly #changes: AccountChange[] = []
  readonly #storage = new Map<string, Uint8Array>()
  readonly #leaves: TrieChange[] = []
  readonly #tries = new Map<string, StorageTrieChange>()

  constructor(parent: Version) {
    this.#parent = parent
  }

  add(entry: AddressEntries): void {
    const before = this.#parent.record(entry.address)
    const existed = before?.isAlive === true
    const wasDestroyed = entry.isDestroyed && existed
    const isAlive = entry.account !== undefined || (existed && !wasDestroyed)
    assert(isAlive || entry.slots.length === 0, 'Storage belongs to an account that exists.')
    if (!isAlive && !wasDestroyed) return
    const hash = this.#parent.base.keccak(entry.address)
    const isSameLife = existed && !wasDestroyed
    const incarnation = before === undefined ? 0 : before.incarnation + (isSameLife || !isAlive ? 0 : 1)
    const slots = this.#hashSlots(entry.address, incarnation, entry.slots)
    const fields = entry.account ?? before!
    const after: AccountRecord = isAlive
      ? {
          isAlive,
          incarnation,
          nonce: fields.nonce,
          balance: fields.balance,
          codeHash: fields.codeHash,
          storageRoot: this.#updateStorage(
            entry.address,
            incarnation,
            hash[0]!,
            slots,
            isSameLife ? before : undefined,
          ),
        }
      : deadAccount(incarnation)
    const text = keyText(accountKey(entry.address))
    this.#changes.push({ address: entry.address, hash, before, after, wasDestroyed, slots, text })
    this.#leaves.push({ key: hash, value: isAlive ? accountLeaf(after) : null, existed })
    for (const { text, value } of slots) this.#storage.set(text, value)
  }

  finish(codes: ReadonlyMap<string, Uint8Array>): VersionContent {
    const { base } = this.#parent
    const before = this.#parent.accountTrie()
    const leaves = sortChanges(this.#leaves)
    const { root, removed } = updateTrie(before, leaves, base.rotation.accounts.readNode, base.keccak)
    return {
      root: leaves.length === 0 ? this.#parent.root : rootHash(root, base.keccak),
      changes: this.#changes,
      codes,
      storage: this.#storage,
      accountTrie: { prefix: ACCOUNT_TRIE, slotOffset: 0, root, removed, changedKeys: leaves.length },
      storageTries: this.#tries,
    }
  }

  #hashSlots(address: Uint8Array, incarnation: number, slots: AddressEntries['slots']): SlotChange[] {
    const { keccak } = this.#parent.base
    return slots.map(({ slot, value }) => {
      const text = keyText(storageKey(address, incarnation, slot))
      return { slot, value, hash: keccak(slot), text }
    })
  }

  /**
   * Returns the storage root after the changes. `before` belongs to the same life; if undefined, the storage begins
   * empty.
   */
  #updateStorage(
    address: Uint8Array,
    incarnation: number,
    slotOffset: number,
    slots: readonly SlotChange[],
    before: AccountRecord | undefined,
  ): Uint8Array {
    const rootBefore = before?.storageRoot ?? EMPTY_ROOT
    if (slots.length === 0) return rootBefore
    const { base } = this.#parent
    const prefix = storageTrie(address, incarnation)
    const trieBefore = rootBefore === EMPTY_ROOT ? null : this.#parent.storageTrie(prefix)
    const leaves = slots.map(({ hash, value, text }) => ({
      key: hash,
      value: value.length === 0 ? null : slotLeaf(value),
      existed: trieBefore !== null && this.#parent.hasSlot(text),
    }))
    const readNode = nodeReaderOf(base.kv, prefix)
    const { root, removed } = updateTrie(trieBefore, sortChanges(leaves), readNode, base.keccak)
    const change = { prefix, slotOffset, root, removed, changedKeys: slots.length, before: trieBefore }
    this.#tries.set(keyText(prefix), change)
    return rootHash(root, base.keccak)
  }
}

/** Returns a view without leading zeros. */
function trimmed(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  let start = offset
  while (start < offset + length && bytes[start] === 0) start++
  return bytes.subarray(start, offset + length)
}
