import { BoundedMap } from '#platform/bounded-map.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { parseDataLenient } from '#types/hex.ts'

/** Discovery offers the same nodes every second, and each address costs a hash. */
const REMEMBERED_MAX = 1_000

/**
 * Nodes that find room beyond the limits and use none of it: on a validator, the other validators. Otherwise strangers could
 * take every place, and validators would only hear each other through relays.
 */
export class ExpectedPeers {
  #addresses: ReadonlySet<Address> = new Set()
  readonly #addressById = new BoundedMap<string, Address>(REMEMBERED_MAX)

  replace(addresses: readonly Address[]): void {
    this.#addresses = new Set(addresses)
  }

  /** Compares the address of a node's key; the id must be proven before it counts. */
  has(id: string): boolean {
    if (this.#addresses.size === 0) return false
    const known = this.#addressById.get(id)
    if (known !== undefined) return this.#addresses.has(known)
    const address = addressFromPublicKey(parseDataLenient(id))
    this.#addressById.set(id, address)
    return this.#addresses.has(address)
  }
}
