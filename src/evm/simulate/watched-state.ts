import type { StateAccount, StateSource } from '#evm/state-lookup.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { type Hash, hashFromBytes } from '#types/hash.ts'

/** A state that records every account and slot that its engine reads. */
export class WatchedState implements StateSource {
  readonly #state: StateSource
  readonly accounts = new Set<Address>()
  readonly slots = new Map<Address, Set<Hash>>()

  constructor(state: StateSource) {
    this.#state = state
  }

  account(address: Uint8Array): StateAccount | undefined {
    this.accounts.add(addressFromBytes(address))
    return this.#state.account(address)
  }

  storage(address: Uint8Array, slot: Uint8Array): Uint8Array | undefined {
    const owner = addressFromBytes(address)
    const known = this.slots.get(owner) ?? new Set()
    this.slots.set(owner, known.add(hashFromBytes(slot)))
    return this.#state.storage(address, slot)
  }

  code(hash: Uint8Array): Uint8Array | undefined {
    return this.#state.code(hash)
  }

  blockHash(number: bigint): Uint8Array | undefined {
    return this.#state.blockHash(number)
  }
}
