/**
 * Adapts the journal to @ethereumjs/evm: state manager, journal of warm and touched addresses, and block hashes in
 * one. Methods that the library declares as promises return plain values, which `await` accepts without allocating a
 * promise.
 */

import { Account, type Address } from '@ethereumjs/util'
import type { AccountState } from '#evm/state-lookup.ts'
import { byteKey, byteKeyFromHex, bytesOfKey } from './byte-key.ts'
import type { JournalState } from './journal-state.ts'

const STORAGE_ROOT_OF_SOMETHING = new Uint8Array(32).fill(1)
/** Keccak of the RLP of nothing: the root of an empty trie. */
const EMPTY_ROOT = new Account().storageRoot
/** The result of BLOCKHASH for an unknown block. */
const UNKNOWN_BLOCK_HASH = new Uint8Array(32)
const WORD_BYTES = 32
/** The precompile RIPEMD-160. */
const RIPEMD160 = `${'\0'.repeat(19)}\x03`

export class EthereumjsState {
  readonly #journal: JournalState
  /** By byte key; always warm. */
  readonly #precompiles: ReadonlySet<string>
  readonly #checkpoints: number[] = []
  #warm = new Set<string>()
  #warmSlots = new Set<string>()
  #touched = new Set<string>()

  constructor(journal: JournalState, precompiles: ReadonlySet<string>) {
    this.#journal = journal
    this.#precompiles = precompiles
  }

  // --- per transaction

  beginTransaction(): void {
    this.#warm = new Set()
    this.#warmSlots = new Set()
    this.#touched = new Set()
    this.#checkpoints.length = 0
    this.#journal.beginTransaction()
  }

  /** EIP-161: removes touched accounts that are empty. */
  clearEmptyAccounts(hasFailed: boolean): void {
    // In Besu, a failed transaction reverts even the touch of RIPEMD-160.
    if (hasFailed) this.#touched.delete(RIPEMD160)
    for (const key of this.#touched) {
      const address = bytesOfKey(key)
      const account = this.#journal.account(address)
      if (account !== undefined && this.isEmpty(account)) this.#journal.destroy(address)
    }
  }

  isEmpty({ nonce, balance, codeHash }: AccountState): boolean {
    return nonce === 0n && balance === 0n && byteKey(codeHash) === byteKey(this.#journal.emptyCodeHash)
  }

  warmAddress(address: Uint8Array): void {
    this.#warm.add(byteKey(address))
  }

  warmSlot(address: Uint8Array, slot: Uint8Array): void {
    this.#warmSlots.add(byteKey(address) + byteKey(slot))
  }

  touch(address: Uint8Array): void {
    const key = byteKey(address)
    if (this.#touched.has(key)) return
    this.#touched.add(key)
    // A failed call reverts its touches, except the one of RIPEMD-160: clients behaved so in the only case that
    // mattered (mainnet, block 2,675,119), and it stayed a rule.
    if (key !== RIPEMD160) this.#journal.onRevert(() => this.#touched.delete(key))
  }

  // --- state manager of @ethereumjs/evm

  getAccount(address: Address): Account | undefined {
    const value = this.#journal.account(address.bytes)
    if (value === undefined) return undefined
    const storageRoot = this.#journal.hasOldStorage(address.bytes) ? STORAGE_ROOT_OF_SOMETHING : EMPTY_ROOT
    return new Account(value.nonce, value.balance, storageRoot, value.codeHash)
  }

  putAccount(address: Address, account: Account | undefined): void {
    this.touch(address.bytes)
    if (account === undefined) this.#journal.destroy(address.bytes)
    else {
      const { nonce, balance, codeHash } = account
      this.#journal.setAccount(address.bytes, { nonce, balance, codeHash })
    }
  }

  deleteAccount(address: Address): void {
    this.touch(address.bytes)
    this.#journal.destroy(address.bytes)
  }

  /** The library changes no other field through this method. */
  modifyAccountFields(address: Address, { balance }: { balance?: bigint }): void {
    const account = this.#journal.account(address.bytes)
    if (account === undefined || balance === undefined) return
    this.#journal.setAccount(address.bytes, { ...account, balance })
  }

  getCode(address: Address): Uint8Array {
    const account = this.#journal.account(address.bytes)
    return this.#journal.code(account?.codeHash ?? this.#journal.emptyCodeHash)
  }

  putCode(address: Address, code: Uint8Array): void {
    const { nonce = 0n, balance = 0n } = this.#journal.account(address.bytes) ?? {}
    this.#journal.setAccount(address.bytes, { nonce, balance, codeHash: this.#journal.addCode(code) })
  }

  getCodeSize(address: Address): number {
    return this.getCode(address).length
  }

  getStorage(address: Address, slot: Uint8Array): Uint8Array {
    return this.#journal.storage(address.bytes, slot)
  }

  putStorage(address: Address, slot: Uint8Array, value: Uint8Array): void {
    this.#journal.setStorage(address.bytes, slot, value.length === 0 ? value : toWord(value))
  }

  clearStorage(address: Address): void {
    this.#journal.clearStorage(address.bytes)
  }

  readonly originalStorageCache = {
    get: (address: Address, slot: Uint8Array): Uint8Array =>
      this.#journal.storageAtStart(address.bytes, slot),
    clear: (): void => {},
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#journal.checkpoint())
  }

  commit(): void {
    this.#checkpoints.pop()
  }

  revert(): void {
    const checkpoint = this.#checkpoints.pop()
    if (checkpoint !== undefined) this.#journal.revert(checkpoint)
  }

  // --- journal of @ethereumjs/evm

  isWarmedAddress(address: Uint8Array): boolean {
    const key = byteKey(address)
    return this.#warm.has(key) || this.#precompiles.has(key)
  }

  addWarmedAddress(address: Uint8Array): void {
    const key = byteKey(address)
    if (this.#warm.has(key)) return
    this.#warm.add(key)
    this.#journal.onRevert(() => this.#warm.delete(key))
  }

  isWarmedStorage(address: Uint8Array, slot: Uint8Array): boolean {
    return this.#warmSlots.has(byteKey(address) + byteKey(slot))
  }

  addWarmedStorage(address: Uint8Array, slot: Uint8Array): void {
    const key = byteKey(address) + byteKey(slot)
    if (this.#warmSlots.has(key)) return
    this.#warmSlots.add(key)
    this.#journal.onRevert(() => this.#warmSlots.delete(key))
  }

  /** With or without 0x. For the target of an EIP-7702 delegation, which the transaction itself warms. */
  addAlwaysWarmAddress(address: string): void {
    this.#warm.add(byteKeyFromHex(address.startsWith('0x') ? address.slice(2) : address))
  }

  // --- block hashes for @ethereumjs/evm

  getBlock(number: number): { hash(): Uint8Array } {
    const hash = this.#journal.blockHash(BigInt(number)) ?? UNKNOWN_BLOCK_HASH
    return { hash: () => hash }
  }
}

/** The interpreter passes values without leading zeros. */
function toWord(value: Uint8Array): Uint8Array {
  if (value.length === WORD_BYTES) return value
  const word = new Uint8Array(WORD_BYTES)
  word.set(value, WORD_BYTES - value.length)
  return word
}
