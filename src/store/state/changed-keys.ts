/**
 * Changed accounts and slots of each block, and the state of the trie. Rewinds, pruning, proofs and trie repair start
 * from them. In an archive of states, the lists of old blocks are packed: a pack has the keys of many blocks, each once.
 */
import { corruptFault } from '#store/faults.ts'
import { MAX_NUMBER, numberKey, TABLE, WORD_BYTES } from '#store/kv/keys.ts'
import type { KvReader } from '#store/kv/kv.ts'
import { ValueReader, ValueWriter } from '#store/kv/varint.ts'
import { ADDRESS_BYTES } from '#types/address.ts'

export interface ChangedAccount {
  readonly address: Uint8Array
  /** The incarnation of the changed slots. */
  readonly incarnation: number
  /** True if the account's previous life ended in this block, so its old storage is dead. */
  readonly wasDestroyed: boolean
  /** True if this block wrote the root node of its storage trie and kept the one before. */
  readonly hasFreshRoot: boolean
  /** Slots that became zero, 32 bytes each, in one piece because most readers skip them. */
  readonly zeroedSlots: Uint8Array
  /** Other changed slots. */
  readonly slots: Uint8Array
}

export interface ChangedKeys {
  /** Timestamp of the block in seconds; a rewound store needs it for its new head. */
  readonly timestamp: number
  /** Version of the trie on disk after the block's batch. */
  readonly trieVersion: number
  /** The last block of that batch. */
  readonly batchEnd: number
  /** After that batch every node on disk was at least as new as this block. */
  readonly trieBehind: number
  /** The last block of the batch with the anchor (trie/anchors.ts) from which the block's trie is derived. */
  readonly anchor: number
  /** The last block of the pack that has the accounts; undefined if they are here. */
  readonly packedInto: number | undefined
  readonly accounts: readonly ChangedAccount[]
}

const DESTROYED = 1
const FRESH_ROOT = 2
const HAS_INCARNATION = 4

export function encodeChangedKeys(block: number, keys: ChangedKeys): Uint8Array {
  const writer = new ValueWriter(64 + keys.accounts.length * 2 * WORD_BYTES)
  writer.varint(keys.timestamp)
  writer.varint(keys.trieVersion)
  writer.varint(keys.batchEnd - block)
  writer.varint(keys.batchEnd - keys.trieBehind)
  appendAccounts(writer, keys.accounts)
  const { batchEnd, anchor, packedInto } = keys
  if (anchor !== batchEnd || packedInto !== undefined) writer.varint(batchEnd - anchor)
  if (packedInto !== undefined) writer.varint(packedInto - block)
  return writer.view().slice()
}

/** Only addresses, incarnations and slots of the accounts matter. */
export function encodePack(accounts: readonly ChangedAccount[]): Uint8Array {
  const writer = new ValueWriter()
  appendAccounts(writer, accounts)
  return writer.view()
}

function appendAccounts(writer: ValueWriter, accounts: readonly ChangedAccount[]): void {
  writer.varint(accounts.length)
  for (const account of accounts) {
    writer.append(account.address)
    writer.varint(
      (account.wasDestroyed ? DESTROYED : 0) |
        (account.hasFreshRoot ? FRESH_ROOT : 0) |
        (account.incarnation === 0 ? 0 : HAS_INCARNATION),
    )
    if (account.incarnation !== 0) writer.varint(account.incarnation)
    for (const slots of [account.zeroedSlots, account.slots]) {
      writer.varint(slots.length / WORD_BYTES)
      writer.append(slots)
    }
  }
}

/** The result contains views. */
export function decodeChangedKeys(block: number, stored: Uint8Array): ChangedKeys {
  const reader = new ValueReader(stored)
  const timestamp = reader.varint()
  const trieVersion = reader.varint()
  const batchEnd = block + reader.varint()
  const trieBehind = batchEnd - reader.varint()
  const accounts = readAccounts(reader)
  const hasAnchor = reader.left > 0
  const anchor = hasAnchor ? batchEnd - reader.varint() : batchEnd
  const packedInto = reader.left > 0 ? block + reader.varint() : undefined
  const isNeeded = !hasAnchor || anchor < batchEnd || packedInto !== undefined
  const isBounded = trieBehind >= 0 && anchor >= 0 && (packedInto ?? 0) <= MAX_NUMBER
  if (!isNeeded || !isBounded || reader.left > 0) throw corruptFault(`the changed keys of block ${block}`)
  return { timestamp, trieVersion, batchEnd, trieBehind, anchor, packedInto, accounts }
}

function readAccounts(reader: ValueReader): ChangedAccount[] {
  const count = boundedCount(reader, ADDRESS_BYTES)
  const accounts: ChangedAccount[] = []
  for (let index = 0; index < count; index++) {
    const address = reader.take(ADDRESS_BYTES)
    const flags = reader.varint()
    accounts.push({
      address,
      wasDestroyed: (flags & DESTROYED) !== 0,
      hasFreshRoot: (flags & FRESH_ROOT) !== 0,
      incarnation: flags & HAS_INCARNATION ? reader.varint() : 0,
      zeroedSlots: readSlots(reader),
      slots: readSlots(reader),
    })
  }
  return accounts
}

export function readChangedKeys(kv: KvReader, block: number): ChangedKeys {
  const stored = kv.get(numberKey(TABLE.changedKeys, block))
  if (stored === undefined) throw corruptFault(`block ${block} has no list of changed keys`)
  return decodeChangedKeys(block, stored)
}

/** Yields all accounts that blocks of a range changed, and maybe others. */
export function* accountsChangedIn(
  kv: KvReader,
  first: number,
  last: number,
): Generator<ChangedAccount, void, undefined> {
  for (let block = first; block <= last; block++) {
    const { accounts, packedInto } = readChangedKeys(kv, block)
    yield* accounts
    if (packedInto === undefined) continue
    yield* readPack(kv, packedInto)
    block = packedInto
  }
}

function readPack(kv: KvReader, last: number): ChangedAccount[] {
  const stored = kv.get(numberKey(TABLE.packedKeys, last))
  if (stored === undefined) throw corruptFault(`block ${last} has no packed keys`)
  return decodePack(stored)
}

export function decodePack(stored: Uint8Array): ChangedAccount[] {
  const reader = new ValueReader(stored)
  const accounts = readAccounts(reader)
  if (reader.left > 0) throw corruptFault('packed keys')
  return accounts
}

/** Yields views. */
export function* slotsOf(slots: Uint8Array): Generator<Uint8Array, void, undefined> {
  for (let at = 0; at < slots.length; at += WORD_BYTES) yield slots.subarray(at, at + WORD_BYTES)
}

export function* changedSlots(account: ChangedAccount): Generator<Uint8Array, void, undefined> {
  yield* slotsOf(account.zeroedSlots)
  yield* slotsOf(account.slots)
}

function readSlots(reader: ValueReader): Uint8Array {
  return reader.take(boundedCount(reader, WORD_BYTES) * WORD_BYTES)
}

/** Limits a count by the bytes that are left. */
function boundedCount(reader: ValueReader, itemBytes: number): number {
  const count = reader.varint()
  if (count * itemBytes > reader.left) throw corruptFault('a list of keys is cut off')
  return count
}
