/**
 * An account as the flat table and its history store it. No bytes mean that the account never existed. A dead account
 * keeps its incarnation, so the storage of a later life has its own keys.
 */

import { corruptFault } from '#store/faults.ts'
import { ValueReader, writeVarint } from '#store/kv/varint.ts'
import type { StoredAccount } from '#store/store.ts'
import { assert } from '#types/assert.ts'
import { bytesToBigint } from '#types/bytes.ts'

/** keccak256 of nothing. */
export const EMPTY_CODE_HASH: Uint8Array = Uint8Array.from(
  Buffer.from('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470', 'hex'),
)
/** The root of a trie without entries: keccak256(rlp('')). */
export const EMPTY_ROOT: Uint8Array = Uint8Array.from(
  Buffer.from('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421', 'hex'),
)

export interface AccountRecord {
  readonly isAlive: boolean
  readonly incarnation: number
  /** Without leading zeros, at most 8 bytes. */
  readonly nonce: Uint8Array
  /** Without leading zeros, at most 32 bytes. */
  readonly balance: Uint8Array
  /** The object EMPTY_CODE_HASH without code. */
  readonly codeHash: Uint8Array
  /** The object EMPTY_ROOT without storage. */
  readonly storageRoot: Uint8Array
}

const ALIVE = 1
const HAS_CODE = 2
const HAS_STORAGE = 4
const HAS_INCARNATION = 8
const NONCE_LENGTH_SHIFT = 4
const MAX_NONCE_BYTES = 8
const MAX_BALANCE_BYTES = 32
const HASH_BYTES = 32
export const MAX_ACCOUNT_RECORD_BYTES = 2 + 8 + MAX_NONCE_BYTES + MAX_BALANCE_BYTES + 2 * HASH_BYTES
const MAX_INCARNATION = 2 ** 32 - 1
const NOTHING = new Uint8Array(0)

export function deadAccount(incarnation: number): AccountRecord {
  return {
    isAlive: false,
    incarnation,
    nonce: NOTHING,
    balance: NOTHING,
    codeHash: EMPTY_CODE_HASH,
    storageRoot: EMPTY_ROOT,
  }
}

/** Writes at `at` and returns the end. */
export function writeAccountRecord(bytes: Uint8Array, at: number, record: AccountRecord): number {
  const { isAlive, incarnation, nonce, balance, codeHash, storageRoot } = record
  assert(incarnation <= MAX_INCARNATION, 'An account has at most 2^32 lives.')
  const flags =
    (isAlive ? ALIVE : 0) |
    (codeHash === EMPTY_CODE_HASH ? 0 : HAS_CODE) |
    (storageRoot === EMPTY_ROOT ? 0 : HAS_STORAGE) |
    (incarnation === 0 ? 0 : HAS_INCARNATION)
  let end = at
  bytes[end++] = flags | (nonce.length << NONCE_LENGTH_SHIFT)
  if (incarnation !== 0) end = writeVarint(bytes, end, incarnation)
  if (!isAlive) return end
  bytes[end++] = balance.length
  for (const part of [nonce, balance]) {
    bytes.set(part, end)
    end += part.length
  }
  if (codeHash !== EMPTY_CODE_HASH) {
    bytes.set(codeHash, end)
    end += HASH_BYTES
  }
  if (storageRoot !== EMPTY_ROOT) {
    bytes.set(storageRoot, end)
    end += HASH_BYTES
  }
  return end
}

/** Returns undefined if the account never existed. The result contains views. */
export function decodeAccountRecord(payload: Uint8Array): AccountRecord | undefined {
  if (payload.length === 0) return undefined
  const reader = new ValueReader(payload)
  const first = reader.byte()
  const incarnation = first & HAS_INCARNATION ? reader.varint() : 0
  if (incarnation > MAX_INCARNATION) throw corruptFault('an account has too many lives')
  if (!(first & ALIVE)) {
    requireEnd(reader)
    return deadAccount(incarnation)
  }
  const nonceLength = first >> NONCE_LENGTH_SHIFT
  const balanceLength = reader.byte()
  if (nonceLength > MAX_NONCE_BYTES || balanceLength > MAX_BALANCE_BYTES) {
    throw corruptFault('a nonce or balance is too long')
  }
  const record = {
    isAlive: true,
    incarnation,
    nonce: reader.take(nonceLength),
    balance: reader.take(balanceLength),
    codeHash: first & HAS_CODE ? reader.take(HASH_BYTES) : EMPTY_CODE_HASH,
    storageRoot: first & HAS_STORAGE ? reader.take(HASH_BYTES) : EMPTY_ROOT,
  }
  requireEnd(reader)
  return record
}

export function accountValue(record: AccountRecord | undefined): StoredAccount | undefined {
  if (record === undefined || !record.isAlive) return undefined
  return {
    nonce: bytesToBigint(record.nonce),
    balance: bytesToBigint(record.balance),
    codeHash: record.codeHash,
    storageRoot: record.storageRoot,
    hasStorage: record.storageRoot !== EMPTY_ROOT,
  }
}

function requireEnd(reader: ValueReader): void {
  if (reader.left !== 0) throw corruptFault('bytes follow the end of an account')
}
