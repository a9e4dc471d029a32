import type { Address } from '#types/address.ts'

/** The accounts whose transactions the node sends without their keys. Forgotten when the node stops. */
export class Impersonation {
  readonly #accounts = new Set<Address>()
  #isForAll = false

  /** Without an address, for all accounts. */
  set(address: Address | undefined, isOn: boolean): void {
    if (address === undefined) this.#isForAll = isOn
    else if (isOn) this.#accounts.add(address)
    else this.#accounts.delete(address)
  }

  has(address: Address): boolean {
    return this.#isForAll || this.#accounts.has(address)
  }

  clear(): void {
    this.#accounts.clear()
    this.#isForAll = false
  }
}
