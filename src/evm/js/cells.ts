/** What the journal holds of the state: cells that know their value now, at the start of the transaction and before. */

export interface AccountValue {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Uint8Array
}

/** A value of storage is 32 bytes, or none for zero. */
export const ZERO = new Uint8Array(0)

export class SlotCell {
  readonly slot: Uint8Array
  /** As the state had it when the session began. */
  readonly origin: Uint8Array
  current: Uint8Array
  /** Value at the start of transaction `stamp`; says nothing about other transactions. */
  atStart: Uint8Array
  stamp = 0

  constructor(slot: Uint8Array, origin: Uint8Array) {
    this.slot = slot
    this.origin = origin
    this.current = origin
    this.atStart = origin
  }

  /** Before the value changes in transaction `stamp`. */
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
  /** As the state had it when the session began; undefined: no account. */
  readonly origin: AccountValue | undefined
  readonly originHasStorage: boolean
  current: AccountValue | undefined
  atStart: AccountValue | undefined
  stamp = 0
  slots: Map<string, SlotCell> = new Map()
  /** Slots that are not among `slots` are zero, and not to be looked up: the account began anew. */
  isDetached = false
  /** Destroyed since the session began, created anew or not. */
  isDestroyed = false
  /** The last transaction that destroyed it. */
  destroyedStamp = 0

  constructor(address: Uint8Array, origin: AccountValue | undefined, hasStorage: boolean) {
    this.address = address
    this.origin = origin
    this.originHasStorage = hasStorage
    this.current = origin
    this.atStart = origin
    this.isDetached = origin === undefined
  }
}

export function equalAccounts(a: AccountValue | undefined, b: AccountValue | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && equalWords(a.codeHash, b.codeHash)
}

export function equalWords(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false
  return true
}
