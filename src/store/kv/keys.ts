/**
 * Tables by the first byte of the key; docs/internals/wire/store.md lists them. The builders of frequent keys each
 * fill one shared buffer, valid until the next call of the same builder: readers and batches copy it.
 */
import { ADDRESS_BYTES } from '#types/address.ts'
import { assert } from '#types/assert.ts'

export const TABLE = {
  header: 0x10,
  body: 0x11,
  receipts: 0x12,
  callTrees: 0x13,
  canonical: 0x14,
  number: 0x15,
  transaction: 0x16,
  edits: 0x17,
  account: 0x20,
  storage: 0x21,
  code: 0x22,
  accountHistory: 0x23,
  storageHistory: 0x24,
  changedKeys: 0x25,
  packedKeys: 0x26,
  accountNode: 0x30,
  storageNode: 0x31,
  replacedAccountNode: 0x32,
  replacedStorageNode: 0x33,
  addressPreimage: 0x40,
  slotPreimage: 0x41,
  logAddress: 0x50,
  logTopic: 0x51,
  traceCaller: 0x58,
  traceCallee: 0x59,
  meta: 0x60,
  pendingEdit: 0x70,
  savepoint: 0x71,
} as const

export const WORD_BYTES = 32
/** Length of block numbers and trie versions in keys. */
export const NUMBER_BYTES = 6
export const MAX_NUMBER = 2 ** 48 - 1
const INCARNATION_BYTES = 4

const ACCOUNT_KEY_BYTES = 1 + ADDRESS_BYTES
const STORAGE_KEY_BYTES = ACCOUNT_KEY_BYTES + INCARNATION_BYTES + WORD_BYTES

const account = Buffer.alloc(ACCOUNT_KEY_BYTES)
const storage = Buffer.alloc(STORAGE_KEY_BYTES)
const accountHistory = Buffer.alloc(ACCOUNT_KEY_BYTES + NUMBER_BYTES)
const storageHistory = Buffer.alloc(STORAGE_KEY_BYTES + NUMBER_BYTES)
account[0] = TABLE.account
storage[0] = TABLE.storage
accountHistory[0] = TABLE.accountHistory
storageHistory[0] = TABLE.storageHistory

/** Returns a shared buffer. */
export function accountKey(address: Uint8Array): Buffer {
  assert(address.length === ADDRESS_BYTES, 'An address has 20 bytes.')
  account.set(address, 1)
  return account
}

/** Returns a shared buffer. */
export function storageKey(address: Uint8Array, incarnation: number, slot: Uint8Array): Buffer {
  assert(address.length === ADDRESS_BYTES && slot.length === WORD_BYTES, 'A slot has 32 bytes.')
  storage.set(address, 1)
  storage.writeUInt32BE(incarnation, ACCOUNT_KEY_BYTES)
  storage.set(slot, ACCOUNT_KEY_BYTES + INCARNATION_BYTES)
  return storage
}

/** The history key of a flat key at a block, in a shared buffer. */
export function historyKey(flatKey: Uint8Array, block: number): Buffer {
  const key = flatKey[0] === TABLE.account ? accountHistory : storageHistory
  key.set(flatKey)
  key[0] = flatKey[0] === TABLE.account ? TABLE.accountHistory : TABLE.storageHistory
  key.writeUIntBE(block, flatKey.length, NUMBER_BYTES)
  return key
}

export function keyText(key: Buffer): string {
  return key.toString('latin1')
}

export function numberKey(table: number, number: number): Buffer {
  assert(number >= 0 && number <= MAX_NUMBER, 'A block number has 48 bits.')
  const key = Buffer.alloc(1 + NUMBER_BYTES)
  key[0] = table
  key.writeUIntBE(number, 1, NUMBER_BYTES)
  return key
}

/** The block number at an offset of a key. */
export function numberAt(key: Uint8Array, at: number): number {
  return Buffer.from(key.buffer, key.byteOffset, key.length).readUIntBE(at, NUMBER_BYTES)
}

export function blockKey(table: number, number: number, hash: Uint8Array): Buffer {
  assert(hash.length === WORD_BYTES, 'A hash has 32 bytes.')
  return Buffer.concat([numberKey(table, number), hash])
}

export function hashKey(table: number, hash: Uint8Array): Buffer {
  assert(hash.length === WORD_BYTES, 'A hash has 32 bytes.')
  const key = Buffer.allocUnsafe(1 + WORD_BYTES)
  key[0] = table
  key.set(hash, 1)
  return key
}

export function metaKey(name: string): Buffer {
  return Buffer.from(`\x60${name}`, 'latin1')
}

/** The prefix of the trie's node keys. */
export const ACCOUNT_TRIE = Buffer.of(TABLE.accountNode)

export const STORAGE_TRIE_BYTES = 1 + ADDRESS_BYTES + INCARNATION_BYTES

export function storageTrie(address: Uint8Array, incarnation: number): Buffer {
  const prefix = Buffer.alloc(STORAGE_TRIE_BYTES)
  prefix[0] = TABLE.storageNode
  prefix.set(address, 1)
  prefix.writeUInt32BE(incarnation, 1 + ADDRESS_BYTES)
  return prefix
}

export function nodeKey(trie: Buffer, path: Uint8Array, length: number = path.length): Buffer {
  const key = Buffer.allocUnsafe(trie.length + length)
  key.set(trie)
  for (let index = 0; index < length; index++) key[trie.length + index] = path[index]!
  return key
}

/** The key of a replaced node at the trie version that replaced it. */
export function replacedNodeKey(node: Uint8Array, version: number): Buffer {
  const key = Buffer.allocUnsafe(node.length + NUMBER_BYTES + 1)
  key.set(node)
  key[0] = node[0] === TABLE.accountNode ? TABLE.replacedAccountNode : TABLE.replacedStorageNode
  // No nibble is 0xff, so a path with a version never equals a longer path.
  key[node.length] = 0xff
  key.writeUIntBE(version, node.length + 1, NUMBER_BYTES)
  return key
}
