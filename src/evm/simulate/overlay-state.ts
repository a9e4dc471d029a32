/**
 * State on top of a base state that stays unchanged: overrides of a request and changes of simulated blocks. It reads
 * like any state and reports the net difference, from which a root is computed.
 */

import type { StateAccount, StateSource } from '#evm/state-lookup.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import { type Hash, hashToBytes } from '#types/hash.ts'
import type { Keccak } from '#types/keccak.ts'
import {
  ACCOUNT_BALANCE,
  ACCOUNT_CODE_HASH,
  accountNonceAt,
  CODE_BYTES,
  readStateChanges,
  STORAGE_SLOT,
  STORAGE_VALUE,
  StateChangesWriter,
  wordAt,
} from '#types/state-changes.ts'

/** The override of an account; absent fields keep their values. */
export interface AccountOverride {
  readonly nonce?: bigint | undefined
  readonly balance?: bigint | undefined
  readonly code?: Uint8Array | undefined
  /** The complete storage: other slots are zero. */
  readonly state?: ReadonlyMap<Hash, Hash> | undefined
  /** Slots that differ. */
  readonly stateDiff?: ReadonlyMap<Hash, Hash> | undefined
}

interface Entry {
  /** Undefined if unchanged, null if there is none. */
  account: StateAccount | null | undefined
  /** Whether the storage of the base state is hidden. */
  isFresh: boolean
  /** By slot, including zero values. */
  readonly slots: Map<string, Uint8Array>
}

const WORD_BYTES = 32

export class OverlayState implements StateSource {
  readonly #base: StateSource
  readonly #keccak: Keccak
  readonly #emptyCodeHash: Uint8Array
  readonly #entries = new Map<Address, Entry>()
  readonly #codes = new Map<string, Uint8Array>()
  readonly #blockHashes = new Map<bigint, Uint8Array>()

  constructor(base: StateSource, keccak: Keccak) {
    this.#base = base
    this.#keccak = keccak
    this.#emptyCodeHash = keccak(new Uint8Array(0))
  }

  account(address: Uint8Array): StateAccount | undefined {
    const known = this.#entries.get(addressFromBytes(address))?.account
    return known === undefined ? this.#base.account(address) : (known ?? undefined)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const entry = this.#entries.get(addressFromBytes(address))
    const value = entry?.slots.get(keyOf(slot))
    if (value !== undefined) return isZero(value) ? undefined : value
    return entry?.isFresh ? undefined : this.#base.storage(address, slot)
  }

  code(hash: Uint8Array): Uint8Array | undefined {
    return this.#codes.get(keyOf(hash)) ?? this.#base.code(hash)
  }

  blockHash(number: bigint): Uint8Array | undefined {
    return this.#blockHashes.get(number) ?? this.#base.blockHash(number)
  }

  setBlockHash(number: bigint, hash: Uint8Array): void {
    this.#blockHashes.set(number, hash)
  }

  override(address: Address, { nonce, balance, code, state, stateDiff }: AccountOverride): void {
    if ((nonce ?? balance ?? code ?? state ?? stateDiff) === undefined) return
    const entry = this.#entryAt(address)
    const before = this.account(addressToBytes(address))
    entry.account = {
      nonce: nonce ?? before?.nonce ?? 0n,
      balance: balance ?? before?.balance ?? 0n,
      codeHash: code === undefined ? (before?.codeHash ?? this.#emptyCodeHash) : this.#addCode(code),
    }
    if (state !== undefined) {
      entry.isFresh = true
      entry.slots.clear()
    }
    for (const [slot, value] of state ?? stateDiff ?? [])
      entry.slots.set(keyOf(hashToBytes(slot)), hashToBytes(value))
  }

  /** Applies the changes of an engine session that was opened on this state. */
  apply(changes: Uint8Array): void {
    readStateChanges(changes, {
      destroyed: (bytes, at) => {
        const entry = this.#entryAt(addressAt(bytes, at))
        entry.account = null
        entry.isFresh = true
        entry.slots.clear()
      },
      account: (bytes, at) => {
        this.#entryAt(addressAt(bytes, at)).account = {
          nonce: accountNonceAt(bytes, at),
          balance: wordAt(bytes, at + ACCOUNT_BALANCE),
          codeHash: bytes.slice(at + ACCOUNT_CODE_HASH, at + ACCOUNT_CODE_HASH + WORD_BYTES),
        }
      },
      storage: (bytes, at) => {
        const slot = keyOf(bytes.subarray(at + STORAGE_SLOT, at + STORAGE_SLOT + WORD_BYTES))
        const value = bytes.slice(at + STORAGE_VALUE, at + STORAGE_VALUE + WORD_BYTES)
        this.#entryAt(addressAt(bytes, at)).slots.set(slot, value)
      },
      code: (bytes, at, length) => {
        const hash = keyOf(bytes.subarray(at, at + WORD_BYTES))
        this.#codes.set(hash, bytes.slice(at + CODE_BYTES, at + CODE_BYTES + length))
      },
    })
  }

  /** Addresses of overridden or changed accounts. */
  addresses(): Iterable<Address> {
    return this.#entries.keys()
  }

  /** Slots that differ from the base state, whose storage is hidden if `isFresh`. */
  changedSlots(address: Address): {
    readonly isFresh: boolean
    readonly slots: ReadonlyMap<Hash, Uint8Array>
  } {
    const entry = this.#entries.get(address)
    const slots = new Map<Hash, Uint8Array>()
    for (const [key, value] of entry?.slots ?? []) slots.set(`0x${latin1ToHex(key)}` as Hash, value)
    return { isFresh: entry?.isFresh ?? false, slots }
  }

  /** The net difference to the base state (types/state-changes.ts), without code, which no root covers. */
  changes(): Uint8Array {
    return this.#write(new StateChangesWriter())
  }

  /** The net difference to the base state with the code of changed accounts, for a state that is kept. */
  changesWithCode(): Uint8Array {
    const writer = new StateChangesWriter()
    for (const [hash, code] of this.#codes) writer.code(Buffer.from(hash, 'latin1'), code)
    return this.#write(writer)
  }

  #write(writer: StateChangesWriter): Uint8Array {
    for (const [address, { account, isFresh, slots }] of this.#entries) {
      const bytes = addressToBytes(address)
      const existed = this.#base.account(bytes) !== undefined
      if (existed && isFresh) writer.destroyed(bytes)
      if (account === null) continue
      if (account !== undefined) writer.account(bytes, account.nonce, account.balance, account.codeHash)
      for (const [slot, value] of slots) {
        if (!isFresh || !isZero(value)) writer.storage(bytes, Buffer.from(slot, 'latin1'), value)
      }
    }
    return writer.finish()
  }

  #entryAt(address: Address): Entry {
    const known = this.#entries.get(address)
    if (known !== undefined) return known
    const entry: Entry = { account: undefined, isFresh: false, slots: new Map() }
    this.#entries.set(address, entry)
    return entry
  }

  #addCode(code: Uint8Array): Uint8Array {
    const hash = this.#keccak(code)
    this.#codes.set(keyOf(hash), code)
    return hash
  }
}

function addressAt(bytes: Uint8Array, at: number): Address {
  return addressFromBytes(bytes.subarray(at, at + 20))
}

/** One character per byte is the cheapest text key. */
function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}

function latin1ToHex(text: string): string {
  return Buffer.from(text, 'latin1').toString('hex')
}

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0)
}
