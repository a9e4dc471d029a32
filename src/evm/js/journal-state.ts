/**
 * The state of one session: what was read, what was changed, and how to take changes back. Reads that miss go
 * through the port's lookup. Undoing is a log of what stood where, so that a checkpoint costs one number.
 */

import {
  ACCOUNT_ABSENT,
  ACCOUNT_HAS_STORAGE,
  ANSWER_BALANCE,
  ANSWER_CODE_HASH,
  ANSWER_NONCE,
  LOOKUP,
  LOOKUP_ANSWER,
  LOOKUP_CODE_CHUNK,
  LOOKUP_CODE_FROM,
  LOOKUP_KEY,
  LOOKUP_SLOT,
  type StateLookup,
} from '#evm/state-lookup.ts'
import { assert } from '#types/assert.ts'
import type { Keccak } from '#types/keccak.ts'
import { StateChangesWriter, wordAt } from '#types/state-changes.ts'
import { byteKey } from './byte-key.ts'
import { AccountCell, type AccountValue, equalWords, SlotCell, ZERO } from './cells.ts'
import type { CodeCache } from './code-cache.ts'
import { writeChanges, writeTransactionChanges } from './net-changes.ts'

const NO_CODE = new Uint8Array(0)

type Undo = () => void

export class JournalState {
  readonly #state: StateLookup
  readonly #view: DataView
  readonly #keccak: Keccak
  readonly #codeCache: CodeCache
  readonly emptyCodeHash: Uint8Array
  readonly #writer = new StateChangesWriter()
  readonly #cells = new Map<string, AccountCell>()
  /** Code by hash: what was read and what was written, which the cache may have lost. */
  readonly #codes = new Map<string, Uint8Array>()
  /** Hashes of code that this session wrote. */
  readonly #written = new Set<string>()
  readonly #undo: Undo[] = []
  /** Counts transactions, from 1; cells remember with it what they were when one began. */
  #stamp = 1
  /** Cells that the current transaction changed. */
  #marked: AccountCell[] = []
  readonly #poll: () => void

  constructor(state: StateLookup, keccak: Keccak, codeCache: CodeCache, poll: () => void) {
    this.#codeCache = codeCache
    this.#state = state
    this.#view = new DataView(state.scratch.buffer, state.scratch.byteOffset, state.scratch.byteLength)
    this.#keccak = keccak
    this.emptyCodeHash = keccak(NO_CODE)
    this.#codes.set(byteKey(this.emptyCodeHash), NO_CODE)
    this.#poll = poll
  }

  /** From here on "at the start of the transaction" means now. */
  beginTransaction(): void {
    this.#stamp++
    this.#marked = []
  }

  /** Nothing will be reverted to where it was before now. */
  forgetUndo(): void {
    this.#undo.length = 0
  }

  /** A mark to go back to. */
  checkpoint(): number {
    return this.#undo.length
  }

  revert(checkpoint: number): void {
    const undo = this.#undo
    assert(
      checkpoint <= undo.length,
      'A checkpoint is reverted to once it was made and before an earlier one was.',
    )
    for (let index = undo.length - 1; index >= checkpoint; index--) undo[index]!()
    undo.length = checkpoint
  }

  /** Undone with everything else; for what others keep beside the state. */
  onRevert(undo: Undo): void {
    this.#undo.push(undo)
  }

  account(address: Uint8Array): AccountValue | undefined {
    return this.#cell(address).current
  }

  /** The account has storage from before the session, as far as the lookup says so. */
  hasOldStorage(address: Uint8Array): boolean {
    const cell = this.#cell(address)
    return cell.originHasStorage && !cell.isDetached
  }

  setAccount(address: Uint8Array, value: AccountValue | undefined): void {
    const cell = this.#cell(address)
    const before = cell.current
    this.#mark(cell)
    cell.current = value
    this.#undo.push(() => {
      cell.current = before
    })
  }

  /** Account and storage are gone. */
  destroy(address: Uint8Array): void {
    const cell = this.#cell(address)
    if (cell.current === undefined && cell.slots.size === 0) return
    const { isDestroyed, destroyedStamp } = cell
    this.setAccount(address, undefined)
    this.clearStorage(address)
    cell.isDestroyed = true
    cell.destroyedStamp = this.#stamp
    this.#undo.push(() => {
      cell.isDestroyed = isDestroyed
      cell.destroyedStamp = destroyedStamp
    })
  }

  clearStorage(address: Uint8Array): void {
    const cell = this.#cell(address)
    const { slots, isDetached } = cell
    if (isDetached && slots.size === 0) return
    this.#mark(cell)
    cell.slots = new Map()
    cell.isDetached = true
    this.#undo.push(() => {
      cell.slots = slots
      cell.isDetached = isDetached
    })
  }

  /** 32 bytes, or none for zero. Not to be changed. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#slot(this.#cell(address), slot).current
  }

  storageAtStart(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#slot(this.#cell(address), slot).startOf(this.#stamp)
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const account = this.#cell(address)
    const cell = this.#slot(account, slot)
    const before = cell.current
    this.#mark(account)
    cell.mark(this.#stamp)
    cell.current = value
    this.#undo.push(() => {
      cell.current = before
    })
  }

  code(hash: Uint8Array): Uint8Array {
    const key = byteKey(hash)
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    const code = this.#codeCache.get(key) ?? this.#lookUpCode(hash)
    this.#codeCache.set(key, code)
    this.#codes.set(key, code)
    return code
  }

  /** Keeps code under its hash, which the caller puts into an account. */
  addCode(code: Uint8Array): Uint8Array {
    if (code.length === 0) return this.emptyCodeHash
    const hash = this.#keccak(code)
    const key = byteKey(hash)
    if (!this.#codes.has(key)) this.#codes.set(key, code)
    this.#written.add(key)
    return hash
  }

  blockHash(number: bigint): Uint8Array | undefined {
    this.#poll()
    this.#view.setBigUint64(LOOKUP_KEY, number)
    if (this.#state.lookup(LOOKUP.blockHash) === 0) return undefined
    return this.#state.scratch.slice(LOOKUP_ANSWER, LOOKUP_ANSWER + 32)
  }

  /** Cells that the transaction changed, or would have if it had not been taken back. */
  get markedCells(): readonly AccountCell[] {
    return this.#marked
  }

  accountAtStart(address: Uint8Array): AccountValue | undefined {
    const cell = this.#cell(address)
    return cell.stamp === this.#stamp ? cell.atStart : cell.current
  }

  /** Those of an account that differ from the start of the transaction. */
  changedSlots({ slots }: AccountCell): SlotCell[] {
    return [...slots.values()].filter((slot) => !equalWords(slot.current, slot.startOf(this.#stamp)))
  }

  /** What changed since the session began. */
  changes(): Uint8Array {
    writeChanges(this.#cells.values(), this.#writer, this.#writtenCode)
    return this.#writer.finish()
  }

  /** What changed since the transaction began. */
  transactionChanges(): Uint8Array {
    writeTransactionChanges(this.#marked, this.#stamp, this.#writer, this.#writtenCode)
    return this.#writer.finish()
  }

  readonly #writtenCode = (hash: Uint8Array): Uint8Array | undefined => {
    const key = byteKey(hash)
    return this.#written.has(key) ? this.#codes.get(key) : undefined
  }

  #mark(cell: AccountCell): void {
    if (cell.stamp === this.#stamp) return
    cell.stamp = this.#stamp
    cell.atStart = cell.current
    this.#marked.push(cell)
  }

  #cell(address: Uint8Array): AccountCell {
    const key = byteKey(address)
    const known = this.#cells.get(key)
    if (known !== undefined) return known
    const cell = this.#lookUpAccount(address)
    this.#cells.set(key, cell)
    return cell
  }

  #slot(account: AccountCell, slot: Uint8Array): SlotCell {
    const key = byteKey(slot)
    const known = account.slots.get(key)
    if (known !== undefined) return known
    const cell = new SlotCell(slot, account.isDetached ? ZERO : this.#lookUpStorage(account.address, slot))
    account.slots.set(key, cell)
    return cell
  }

  #lookUpAccount(address: Uint8Array): AccountCell {
    this.#poll()
    const { scratch, lookup } = this.#state
    scratch.set(address, LOOKUP_KEY)
    const answer = lookup(LOOKUP.account)
    if (answer === ACCOUNT_ABSENT) return new AccountCell(address, undefined, false)
    const codeHash = scratch.slice(ANSWER_CODE_HASH, ANSWER_CODE_HASH + 32)
    const nonce = this.#view.getBigUint64(ANSWER_NONCE)
    const origin = { nonce, balance: wordAt(scratch, ANSWER_BALANCE), codeHash }
    return new AccountCell(address, origin, (answer & ACCOUNT_HAS_STORAGE) !== 0)
  }

  #lookUpStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#poll()
    const { scratch, lookup } = this.#state
    scratch.set(address, LOOKUP_KEY)
    scratch.set(slot, LOOKUP_SLOT)
    return lookup(LOOKUP.storage) === 0 ? ZERO : scratch.slice(LOOKUP_ANSWER, LOOKUP_ANSWER + 32)
  }

  #lookUpCode(hash: Uint8Array): Uint8Array {
    this.#poll()
    const { scratch, lookup } = this.#state
    scratch.set(hash, LOOKUP_KEY)
    this.#view.setUint32(LOOKUP_CODE_FROM, 0)
    const code = new Uint8Array(lookup(LOOKUP.code))
    for (let from = 0; ; ) {
      const chunk = scratch.subarray(
        LOOKUP_ANSWER,
        LOOKUP_ANSWER + Math.min(LOOKUP_CODE_CHUNK, code.length - from),
      )
      code.set(chunk, from)
      from += chunk.length
      if (from >= code.length) return code
      scratch.set(hash, LOOKUP_KEY)
      this.#view.setUint32(LOOKUP_CODE_FROM, from)
      lookup(LOOKUP.code)
    }
  }
}
