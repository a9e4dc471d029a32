/** The journal's cells: each knows its value now, at the start of the transaction and at the start of the session. */

import type { AccountState } from '#evm/state-lookup.ts'
import { equalBytes } from '#types/bytes.ts'

/** A storage value has 32 bytes, or none for zero. */
export const ZERO = new Uint8Array(0)

export class SlotCell {
  readonly slot: Uint8Array
  /** Value at the start of the session. */
  readonly origin: Uint8Array
  current: Uint8Array
  /** Value at the start of transaction `stamp`; meaningless for other transactions. */
  atStart: Uint8Array
  stamp = 0

  constructor(slot: Uint8Array, origin: Uint8Array) {
    this.slot = slot
    this.origin = origin
    this.current = origin
    this.atStart = origin
  }

  /** Called before the value changes in transaction `stamp`. */
  mark(stamp: number): void {
    if (this.stamp === stamp) return
    this.stamp = stamp
    this.atStart = this.current
  }

  startOf(stamp: number): Uint8Array {
    return this.stamp === stamp ? this.atStart : this.current
  }
}

export class AccountCell {
  readonly address: Uint8Array
  /** Value at the start of the session; undefined without an account. */
  readonly origin: AccountState | undefined
  readonly originHasStorage: boolean
  current: AccountState | undefined
  atStart: AccountState | undefined
  stamp = 0
  slots: Map<string, SlotCell> = new Map()
  /** True if slots missing from `slots` are zero and need no lookup, because the account was recreated. */
  isDetached = false
  /** Destroyed during the session, whether recreated or not. */
  isDestroyed = false
  /** The last transaction that destroyed it. */
  destroyedStamp = 0

  constructor(address: Uint8Array, origin: AccountState | undefined, hasStorage: boolean) {
    this.address = address
    this.origin = origin
    this.originHasStorage = hasStorage
    this.current = origin
    this.atStart = origin
    this.isDetached = origin === undefined
  }
}

export function equalAccounts(a: AccountState | undefined, b: AccountState | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && equalBytes(a.codeHash, b.codeHash)
}
