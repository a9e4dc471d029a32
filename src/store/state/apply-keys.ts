/** Sets given accounts and slots of the tries to their flat values, after a crash or a rewind. */

import { corruptFault } from '#store/faults.ts'
import { ACCOUNT_TRIE, accountKey, keyText, storageKey, storageTrie } from '#store/kv/keys.ts'
import type { KvReader } from '#store/kv/kv.ts'
import { nodeReaderOf } from '#store/node-store.ts'
import type { TrieRotation } from '#store/trie/rotation.ts'
import { loadRoot, rootHash, sortChanges, type TrieChange, updateTrie } from '#store/trie/update.ts'
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { type AccountRecord, decodeAccountRecord } from './account-record.ts'
import { changePayload } from './change-chain.ts'
import { type ChangedAccount, changedSlots } from './changed-keys.ts'
import { accountLeaf, slotLeaf } from './trie-leaf.ts'

const NO_SLOTS = new Uint8Array(0)

/** A set of accounts and slots. */
export class KeySet {
  readonly accounts = new Map<string, Uint8Array>()
  readonly tries = new Map<string, StorageKeys>()
  #slots = 0

  /** The number of accounts and slots. */
  get size(): number {
    return this.accounts.size + this.#slots
  }

  add(account: ChangedAccount): void {
    const { address, incarnation } = account
    this.accounts.set(keyText(accountKey(address)), address)
    if (account.zeroedSlots.length + account.slots.length === 0) return
    const prefix = storageTrie(address, incarnation)
    const text = keyText(prefix)
    const keys = this.tries.get(text) ?? { address, incarnation, prefix, slots: new Map() }
    this.tries.set(text, keys)
    const before = keys.slots.size
    for (const slot of changedSlots(account)) keys.slots.set(Buffer.from(slot).toString('latin1'), slot)
    this.#slots += keys.slots.size - before
  }

  /** The same keys as a list. */
  changed(): ChangedAccount[] {
    const nothing = { wasDestroyed: false, hasFreshRoot: false, zeroedSlots: NO_SLOTS }
    const withSlots = new Set<string>()
    const list: ChangedAccount[] = []
    for (const { address, incarnation, slots } of this.tries.values()) {
      withSlots.add(keyText(accountKey(address)))
      list.push({ ...nothing, address, incarnation, slots: Buffer.concat([...slots.values()]) })
    }
    for (const [text, address] of this.accounts) {
      if (!withSlots.has(text)) list.push({ ...nothing, address, incarnation: 0, slots: NO_SLOTS })
    }
    return list
  }
}

export interface StorageKeys {
  readonly address: Uint8Array
  readonly incarnation: number
  readonly prefix: Buffer
  readonly slots: Map<string, Uint8Array>
}

export interface ApplyContext {
  readonly kv: KvReader
  readonly keccak: Keccak
  readonly rotation: TrieRotation
  /** Reads the flat value that the tries should have. */
  readonly readFlat: (key: Buffer) => Uint8Array | undefined
}

/** Returns the storage tries without a living account. */
export function applyKeys(context: ApplyContext, keys: KeySet): StorageKeys[] {
  const dead: StorageKeys[] = []
  for (const trie of keys.tries.values()) {
    const record = readRecord(context, trie.address)
    if (record?.isAlive && record.incarnation === trie.incarnation)
      applySlots(context, trie, record.storageRoot)
    else dead.push(trie)
  }
  const { keccak, rotation } = context
  const leaves: TrieChange[] = []
  for (const address of keys.accounts.values()) {
    const record = readRecord(context, address)
    leaves.push({ key: keccak(address), value: record?.isAlive ? accountLeaf(record) : null })
  }
  const { accounts } = rotation
  const { root, removed } = updateTrie(accounts.root, sortChanges(leaves), accounts.readNode, keccak)
  rotation.adoptAccounts({ prefix: ACCOUNT_TRIE, slotOffset: 0, root, removed, changedKeys: leaves.length })
  return dead
}

function applySlots(context: ApplyContext, keys: StorageKeys, storageRoot: Uint8Array): void {
  const { kv, keccak, rotation, readFlat } = context
  const { address, incarnation, prefix } = keys
  const readNode = nodeReaderOf(kv, prefix)
  const resident = rotation.resident(prefix)
  const before = resident === undefined ? loadRoot(readNode) : resident.root
  const leaves: TrieChange[] = []
  for (const slot of keys.slots.values()) {
    const stored = readFlat(storageKey(address, incarnation, slot))
    const value = stored === undefined ? undefined : changePayload(stored)
    leaves.push({
      key: keccak(slot),
      value: value === undefined || value.length === 0 ? null : slotLeaf(value),
    })
  }
  const { root, removed } = updateTrie(before, sortChanges(leaves), readNode, keccak)
  if (!equalBytes(rootHash(root, keccak), storageRoot)) {
    throw corruptFault(`the storage of 0x${Buffer.from(address).toString('hex')} and its root disagree`)
  }
  const slotOffset = keccak(address)[0]!
  rotation.adoptStorage({ prefix, slotOffset, root, removed, changedKeys: leaves.length }, before)
}

function readRecord({ readFlat }: ApplyContext, address: Uint8Array): AccountRecord | undefined {
  const stored = readFlat(accountKey(address))
  return stored === undefined ? undefined : decodeAccountRecord(changePayload(stored))
}
