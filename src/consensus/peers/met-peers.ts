/** Peers as the peers thread reported them, by the address of their key, to explain a stalled chain. */
import type { TurnedAway } from '#consensus/driver-parts.ts'
import { BoundedMap } from '#platform/bounded-map.ts'
import type { Clock } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { parseDataLenient } from '#types/hex.ts'

/** A maintained peer dials again at least every minute. */
const REMEMBERED_MS = 150_000
const REMEMBERED_MAX = 256

export class MetPeers {
  readonly #clock: Clock
  readonly #joined = new Set<Address>()
  readonly #turnedAway = new BoundedMap<Address, TurnedAway & { readonly atMs: number }>(REMEMBERED_MAX)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  joined(id: string): void {
    const address = addressOf(id)
    this.#turnedAway.delete(address)
    this.#joined.add(address)
  }

  left(id: string): void {
    this.#joined.delete(addressOf(id))
  }

  turnAway(id: string, why: TurnedAway['why']): void {
    const address = addressOf(id)
    this.#turnedAway.set(address, { address, why, atMs: this.#clock.monotonicMs() })
  }

  /** Called when the thread ended and all peers are gone. */
  clear(): void {
    this.#joined.clear()
  }

  exchanging(): readonly Address[] {
    return [...this.#joined]
  }

  turnedAway(): readonly TurnedAway[] {
    const sinceMs = this.#clock.monotonicMs() - REMEMBERED_MS
    return this.#turnedAway.values().filter(({ atMs }) => atMs >= sinceMs)
  }
}

function addressOf(id: string): Address {
  return addressFromPublicKey(parseDataLenient(id))
}
