/** Collects the accounts and slots that a transaction reads or changes, and compares them at its end. */

import type { AccountState } from '#evm/state-lookup.ts'
import type { TouchedSlot } from '#evm/trace/trace-visitor.ts'
import { compareBytes, equalBytes } from '#types/bytes.ts'
import { byteKey, bytesOfKey } from './byte-key.ts'
import { type AccountCell, equalAccounts, ZERO } from './cells.ts'
import type { JournalState } from './journal-state.ts'

export interface AccountDifference {
  readonly address: Uint8Array
  readonly before: AccountState | undefined
  readonly after: AccountState | undefined
  readonly codeBefore: Uint8Array
  readonly codeAfter: Uint8Array
  /** Values before and after have 32 bytes, or none for zero. */
  readonly slots: readonly TouchedSlot[]
}

type SlotsBefore = Map<string, Uint8Array>

export class TouchedState {
  /** Whether reads are collected, too. */
  readonly #isWhole: boolean
  /** Slots and their values before the transaction, by address. */
  #accounts = new Map<string, SlotsBefore>()

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole
  }

  address(address: Uint8Array): void {
    if (this.#isWhole) this.#slotsOf(byteKey(address))
  }

  /** `before` is the value at the start of the transaction. */
  slot(address: Uint8Array, slot: Uint8Array, before: Uint8Array): void {
    const slots = this.#slotsOf(byteKey(address))
    const key = byteKey(slot)
    if (!slots.has(key)) slots.set(key, before)
  }

  /** Returns the accounts sorted by address after the transaction has ended. */
  take(journal: JournalState): AccountDifference[] {
    for (const cell of journal.markedCells) this.#addChanged(cell, journal)
    const found: AccountDifference[] = []
    for (const [key, slots] of this.#accounts) found.push(describe(bytesOfKey(key), slots, journal))
    this.#accounts = new Map()
    return found.sort((a, b) => compareBytes(a.address, b.address))
  }

  #addChanged(cell: AccountCell, journal: JournalState): void {
    const changed = cell.current === undefined ? [] : journal.changedSlots(cell)
    if (changed.length === 0 && equalAccounts(cell.atStart, cell.current)) return
    const slots = this.#slotsOf(byteKey(cell.address))
    for (const { slot, atStart } of changed) slots.set(byteKey(slot), atStart)
  }

  #slotsOf(key: string): SlotsBefore {
    const known = this.#accounts.get(key)
    if (known !== undefined) return known
    const slots: SlotsBefore = new Map()
    this.#accounts.set(key, slots)
    return slots
  }
}

function describe(address: Uint8Array, slots: SlotsBefore, journal: JournalState): AccountDifference {
  const before = journal.accountAtStart(address)
  const after = journal.account(address)
  const hasSameCode =
    before !== undefined && after !== undefined && equalBytes(before.codeHash, after.codeHash)
  return {
    address,
    before,
    after,
    codeBefore: before === undefined ? ZERO : journal.code(before.codeHash),
    codeAfter: after === undefined || hasSameCode ? ZERO : journal.code(after.codeHash),
    slots: [...slots]
      .map(([key, value]) => {
        const slot = bytesOfKey(key)
        return {
          slot,
          before: value,
          after: after === undefined ? ZERO : journal.storage(address, slot),
        }
      })
      .sort((a, b) => compareBytes(a.slot, b.slot)),
  }
}
