/**
 * The net state changes of a block as one binary value, which engines write and the store reads, the same from
 * JavaScript and native code. docs/internals/wire/state-changes.md is the specification. The bytes come from Cairn's
 * engines, so a malformed value is a bug, not a fault.
 */
import { ADDRESS_BYTES } from './address.ts'
import { assert } from './assert.ts'
import { MAX_UINT64, MAX_UINT256 } from './bytes.ts'
import { HASH_BYTES } from './hash.ts'

/** The first byte of an entry. */
export const STATE_CHANGE = { account: 1, storage: 2, code: 3, destroyed: 4 } as const

/** Offsets of an account entry's fields, counted from its address. */
export const ACCOUNT_NONCE = ADDRESS_BYTES
export const ACCOUNT_BALANCE = ACCOUNT_NONCE + 8
export const ACCOUNT_CODE_HASH = ACCOUNT_BALANCE + 32
export const ACCOUNT_ENTRY_BYTES = ACCOUNT_CODE_HASH + HASH_BYTES
/** Offsets of a storage entry's fields, counted from its address. */
export const STORAGE_SLOT = ADDRESS_BYTES
export const STORAGE_VALUE = STORAGE_SLOT + 32
export const STORAGE_ENTRY_BYTES = STORAGE_VALUE + 32
/** Offsets of a code entry's fields, counted from its hash. */
export const CODE_LENGTH = HASH_BYTES
export const CODE_BYTES = CODE_LENGTH + 4

/** 1 GiB: some ten million changes, far beyond the gas of one block. */
export const MAX_STATE_CHANGES_BYTES = 2 ** 30

const WORD_BYTES = 32
const INITIAL_BYTES = 4096

/** Each method receives the complete value and the offset of the entry after its kind, and copies the bytes it keeps. */
export interface StateChangesVisitor {
  /** `offset` points to the address. */
  account?(bytes: Uint8Array, offset: number): void
  /** `offset` points to the address. A value of zero deletes the slot. */
  storage?(bytes: Uint8Array, offset: number): void
  /** `offset` points to the hash; the code is the `length` bytes from offset + CODE_BYTES. */
  code?(bytes: Uint8Array, offset: number, length: number): void
  /** `offset` points to the address. */
  destroyed?(bytes: Uint8Array, offset: number): void
}

export function readStateChanges(bytes: Uint8Array, visitor: StateChangesVisitor): void {
  let offset = 0
  while (offset < bytes.length) {
    const kind = bytes[offset++]!
    let length = 0
    switch (kind) {
      case STATE_CHANGE.account:
        length = entryLength(bytes, offset, ACCOUNT_ENTRY_BYTES)
        visitor.account?.(bytes, offset)
        break
      case STATE_CHANGE.storage:
        length = entryLength(bytes, offset, STORAGE_ENTRY_BYTES)
        visitor.storage?.(bytes, offset)
        break
      case STATE_CHANGE.code: {
        entryLength(bytes, offset, CODE_BYTES)
        const codeLength = uint32At(bytes, offset + CODE_LENGTH)
        length = entryLength(bytes, offset, CODE_BYTES + codeLength)
        visitor.code?.(bytes, offset, codeLength)
        break
      }
      case STATE_CHANGE.destroyed:
        length = entryLength(bytes, offset, ADDRESS_BYTES)
        visitor.destroyed?.(bytes, offset)
        break
      default:
        assert(false, `A state change is of kind 1 to 4, and not ${kind}.`)
    }
    offset += length
  }
}

/** The nonce of the account entry at `offset`. */
export function accountNonceAt(bytes: Uint8Array, offset: number): bigint {
  const at = offset + ACCOUNT_NONCE
  const high = uint32At(bytes, at)
  const low = uint32At(bytes, at + 4)
  return high < 2 ** 21 ? BigInt(high * 2 ** 32 + low) : (BigInt(high) << 32n) | BigInt(low)
}

/** The 32 bytes at `offset` as a number: a balance, a slot, a value. */
export function wordAt(bytes: Uint8Array, offset: number): bigint {
  let word = 0n
  for (let at = offset; at < offset + WORD_BYTES; at += 4) {
    const part = uint32At(bytes, at)
    if (word !== 0n) word = (word << 32n) | BigInt(part)
    else if (part !== 0) word = BigInt(part)
  }
  return word
}

/** The entries of one address are adjacent: destroyed, then account, then storage. */
export class StateChangesWriter {
  #bytes = new Uint8Array(INITIAL_BYTES)
  #view = new DataView(this.#bytes.buffer)
  #length = 0
  /** Offset of the last address, and the kind of its entry. */
  #lastAddress = -1
  #lastKind = 0

  destroyed(address: Uint8Array): void {
    this.#begin(STATE_CHANGE.destroyed, ADDRESS_BYTES, address)
  }

  account(address: Uint8Array, nonce: bigint, balance: bigint, codeHash: Uint8Array): void {
    assert(nonce >= 0n && nonce <= MAX_UINT64, 'A nonce has 64 bits.')
    assert(balance >= 0n && balance <= MAX_UINT256, 'A balance has 256 bits.')
    assert(codeHash.length === HASH_BYTES, 'A code hash has 32 bytes.')
    const at = this.#begin(STATE_CHANGE.account, ACCOUNT_ENTRY_BYTES, address)
    this.#view.setBigUint64(at + ACCOUNT_NONCE, nonce)
    let rest = balance
    // The view takes the low 64 bits; the buffer is reused, so leading zeros are written too.
    for (let part = ACCOUNT_BALANCE + 24; part >= ACCOUNT_BALANCE; part -= 8, rest >>= 64n) {
      this.#view.setBigUint64(at + part, rest)
    }
    this.#bytes.set(codeHash, at + ACCOUNT_CODE_HASH)
  }

  /** A value of zero deletes the slot. */
  storage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    assert(slot.length === WORD_BYTES && value.length === WORD_BYTES, 'A slot and its value have 32 bytes.')
    const at = this.#begin(STATE_CHANGE.storage, STORAGE_ENTRY_BYTES, address)
    this.#bytes.set(slot, at + STORAGE_SLOT)
    this.#bytes.set(value, at + STORAGE_VALUE)
  }

  code(hash: Uint8Array, code: Uint8Array): void {
    assert(hash.length === HASH_BYTES, 'A code hash has 32 bytes.')
    const at = this.#reserve(STATE_CHANGE.code, CODE_BYTES + code.length)
    this.#bytes.set(hash, at)
    this.#view.setUint32(at + CODE_LENGTH, code.length)
    this.#bytes.set(code, at + CODE_BYTES)
  }

  /** Returns a copy of the entries; the writer is empty again and keeps its buffer. */
  finish(): Uint8Array {
    const bytes = this.#bytes.slice(0, this.#length)
    this.#length = 0
    this.#lastAddress = -1
    return bytes
  }

  /** Begins an entry with its address and returns the offset of the address. */
  #begin(kind: number, length: number, address: Uint8Array): number {
    assert(address.length === ADDRESS_BYTES, 'An address has 20 bytes.')
    if (this.#isLastAddress(address)) {
      const inOrder = kind === STATE_CHANGE.storage || rank(kind) > rank(this.#lastKind)
      assert(inOrder, 'The changes of an address are destroyed, then account, then storage.')
    }
    const at = this.#reserve(kind, length)
    this.#bytes.set(address, at)
    this.#lastAddress = at
    this.#lastKind = kind
    return at
  }

  #reserve(kind: number, length: number): number {
    const needed = this.#length + 1 + length
    if (needed > this.#bytes.length) this.#grow(needed)
    const at = this.#length
    this.#bytes[at] = kind
    this.#length = needed
    return at + 1
  }

  #grow(needed: number): void {
    assert(needed <= MAX_STATE_CHANGES_BYTES, `State changes have at most ${MAX_STATE_CHANGES_BYTES} bytes.`)
    const bytes = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    bytes.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }

  #isLastAddress(address: Uint8Array): boolean {
    if (this.#lastAddress < 0) return false
    for (let index = 0; index < ADDRESS_BYTES; index++) {
      if (this.#bytes[this.#lastAddress + index] !== address[index]) return false
    }
    return true
  }
}

function rank(kind: number): number {
  return kind === STATE_CHANGE.destroyed ? 0 : kind
}

function entryLength(bytes: Uint8Array, offset: number, length: number): number {
  assert(offset + length <= bytes.length, 'The state changes end within an entry.')
  return length
}

function uint32At(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 2 ** 24 + ((bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!)
}
