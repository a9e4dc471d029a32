/** States of a development network, with the edits that were made while their block was the head. */
import { joinEdits, overlayOf } from '#chain/execute/edited-state.ts'
import type { OverlayState } from '#evm/simulate/overlay-state.ts'
import type { Edits } from '#store/edits.ts'
import type { StoreReader } from '#store/reader.ts'
import { EMPTY_ROOT } from '#store/state/account-record.ts'
import type { StoredAccount } from '#store/store.ts'
import { type Address, addressFromBytes, addressToBytes } from '#types/address.ts'
import type { Keccak } from '#types/keccak.ts'
import type { PinnedState } from './chain-view.ts'

export class EditedStates {
  readonly #store: StoreReader
  readonly #keccak: Keccak
  #last: { readonly base: PinnedState; readonly edits: Edits; readonly state: PinnedState } | undefined

  constructor(store: StoreReader, keccak: Keccak) {
    this.#store = store
    this.#keccak = keccak
  }

  /** Returns the same object while neither the state nor its edits change. */
  of(base: PinnedState): PinnedState {
    const known = this.#last?.base === base ? this.#last : undefined
    const edits = this.#store.editsAfter(base.number, known?.edits)
    if (known?.edits === edits) return known.state
    const state =
      edits.changes.length === 0 ? base : new EditedState(base, overlayOf(base, edits.changes, this.#keccak))
    this.#last = { base, edits, state }
    return state
  }

  /** Joins changes on an edited state into net changes of the state that is stored. */
  join(number: number, changes: Uint8Array): Uint8Array {
    const { changes: edits } = this.#store.editsAfter(number)
    return joinEdits(this.#store.stateAt(number), edits, changes, this.#keccak)
  }
}

class EditedState implements PinnedState {
  readonly number: number
  readonly #base: PinnedState
  readonly #overlay: OverlayState

  constructor(base: PinnedState, overlay: OverlayState) {
    this.number = base.number
    this.#base = base
    this.#overlay = overlay
  }

  accountOf(address: Address): StoredAccount | undefined {
    return this.account(addressToBytes(address))
  }

  /** The storage root is the one before the edits. */
  account(address: Uint8Array): StoredAccount | undefined {
    const account = this.#overlay.account(address)
    if (account === undefined) return undefined
    const before = this.#base.account(address)
    const { slots } = this.#overlay.changedSlots(addressFromBytes(address))
    return {
      ...account,
      storageRoot: before?.storageRoot ?? EMPTY_ROOT,
      hasStorage: before?.hasStorage === true || slots.size > 0,
    }
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    return this.#overlay.storage(address, slot)
  }

  code(hash: Uint8Array): Uint8Array | undefined {
    return this.#overlay.code(hash)
  }

  confirm(): void {
    this.#base.confirm()
  }
}
