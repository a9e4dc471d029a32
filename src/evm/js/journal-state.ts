/**
 * The state of one session: reads, changes and their undo log. Missing values are read through the state lookup. A
 * checkpoint is a position in the undo log, so it costs one number.
 */

import {
  ACCOUNT_ABSENT,
  ACCOUNT_HAS_STORAGE,
  type AccountState,
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
import { equalBytes } from '#types/bytes.ts'
import type { Keccak } from '#types/keccak.ts'
import { StateChangesWriter, wordAt } from '#types/state-changes.ts'
import { byteKey } from './byte-key.ts'
import { AccountCell, equalAccounts, SlotCell, ZERO } from './cells.ts'
import type { CodeCache } from './code-cache.ts'

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
  /** Code by hash, read or written, because the cache may evict it. */
  readonly #codes = new Map<string, Uint8Array>()
  /** Hashes of code that this session wrote. */
  readonly #written = new Set<string>()
  readonly #undo: Undo[] = []
  /** Counts transactions from 1; cells use it to remember their value at the start of one. */
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

  /** Starts a transaction: values "at the start" refer to this moment. */
  beginTransaction(): void {
    this.#stamp++
    this.#marked = []
  }

  /** Drops the undo log; earlier checkpoints become invalid. */
  forgetUndo(): void {
    this.#undo.length = 0
  }

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

  /** Adds an undo step for state kept outside the journal. */
  onRevert(undo: Undo): void {
    this.#undo.push(undo)
  }

  account(address: Uint8Array): AccountState | undefined {
    return this.#cell(address).current
  }

  /** Whether the account has storage from before the session, according to the lookup. */
  hasOldStorage(address: Uint8Array): boolean {
    const cell = this.#cell(address)
    return cell.originHasStorage && !cell.isDetached
  }

  setAccount(address: Uint8Array, value: AccountState | undefined): void {
    const cell = this.#cell(address)
    const before = cell.current
    this.#mark(cell)
    cell.current = value
    this.#undo.push(() => {
      cell.current = before
    })
  }

  /** Removes the account and its storage. */
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

  /** Returns 32 bytes, or none for zero. Do not modify them. */
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

  /** Stores code under its hash, which the caller puts into an account. */
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

  /** Cells that the transaction changed, including reverted changes. */
  get markedCells(): readonly AccountCell[] {
    return this.#marked
  }

  accountAtStart(address: Uint8Array): AccountState | undefined {
    const cell = this.#cell(address)
    return cell.stamp === this.#stamp ? cell.atStart : cell.current
  }

  /** Slots that differ from the start of the transaction. */
  changedSlots({ slots }: AccountCell): SlotCell[] {
    return [...slots.values()].filter((slot) => !equalBytes(slot.current, slot.startOf(this.#stamp)))
  }

  /** Changes since the session began. */
  changes(): Uint8Array {
    writeChanges(this.#cells.values(), this.#writer, this.#writtenCode)
    return this.#writer.finish()
  }

  /** Changes since the transaction began. */
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

/** Writes changed cells in the format of types/state-changes.ts. */

type CodeOf = (hash: Uint8Array) => Uint8Array | undefined

const ZERO_WORD = new Uint8Array(32)

/** Writes the changes since the session began. `writtenCode` returns only code that the session wrote. */
function writeChanges(cells: Iterable<AccountCell>, writer: StateChangesWriter, writtenCode: CodeOf): void {
  const codes = new Map<Uint8Array, Uint8Array>()
  for (const cell of cells) {
    const isGone = cell.origin !== undefined && (cell.isDestroyed || cell.current === undefined)
    const before = isGone ? undefined : cell.origin
    if (isGone) writer.destroyed(cell.address)
    writeAccount(cell, before, writer, codes, writtenCode)
    for (const slot of cell.slots.values()) writeSlot(cell, slot, slot.origin, writer)
  }
  writeCodes(codes, writer)
}

/** Writes the changes since transaction `stamp` began; `cells` are those it changed. */
function writeTransactionChanges(
  cells: Iterable<AccountCell>,
  stamp: number,
  writer: StateChangesWriter,
  writtenCode: CodeOf,
): void {
  const codes = new Map<Uint8Array, Uint8Array>()
  for (const cell of cells) {
    const isGone = cell.atStart !== undefined && (cell.destroyedStamp === stamp || cell.current === undefined)
    const before = isGone ? undefined : cell.atStart
    if (isGone) writer.destroyed(cell.address)
    writeAccount(cell, before, writer, codes, writtenCode)
    for (const slot of cell.slots.values()) {
      if (slot.stamp === stamp) writeSlot(cell, slot, slot.atStart, writer)
    }
  }
  writeCodes(codes, writer)
}

function writeAccount(
  cell: AccountCell,
  before: AccountState | undefined,
  writer: StateChangesWriter,
  codes: Map<Uint8Array, Uint8Array>,
  writtenCode: CodeOf,
): void {
  const { current, address } = cell
  if (current === undefined || equalAccounts(current, before)) return
  writer.account(address, current.nonce, current.balance, current.codeHash)
  if (before !== undefined && equalBytes(before.codeHash, current.codeHash)) return
  const code = writtenCode(current.codeHash)
  if (code !== undefined) codes.set(current.codeHash, code)
}

/** A slot of a destroyed account counts from zero, whatever it was before. */
function writeSlot(cell: AccountCell, slot: SlotCell, before: Uint8Array, writer: StateChangesWriter): void {
  if (cell.current === undefined || equalBytes(slot.current, before)) return
  writer.storage(cell.address, slot.slot, slot.current.length === 0 ? ZERO_WORD : slot.current)
}

function writeCodes(codes: ReadonlyMap<Uint8Array, Uint8Array>, writer: StateChangesWriter): void {
  for (const [hash, code] of codes) writer.code(hash, code)
}
