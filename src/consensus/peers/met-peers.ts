/** What the thread of peers told of them, by the addresses of their keys: whoever explains why a chain stands still asks for it. */
import type { TurnedAway } from '#consensus/driver-ports.ts'
import type { Clock } from '#platform/clock.ts'
import type { Address } from '#types/address.ts'
import { addressFromPublicKey } from '#types/curve.ts'
import { parseDataLenient } from '#types/hex.ts'

/** Whoever is maintained dials again every minute at least. */
const REMEMBERED_MS = 150_000
const REMEMBERED_MAX = 256

export class MetPeers {
  readonly #clock: Clock
  readonly #joined = new Set<Address>()
  readonly #turnedAway = new Map<Address, TurnedAway & { readonly atMs: number }>()

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
    this.#turnedAway.delete(address)
    this.#turnedAway.set(address, { address, why, atMs: this.#clock.monotonicMs() })
    if (this.#turnedAway.size <= REMEMBERED_MAX) return
    const [oldest] = this.#turnedAway.keys()
    this.#turnedAway.delete(oldest!)
  }

  /** The thread is gone, and everybody with it. */
  clear(): void {
    this.#joined.clear()
  }

  exchanging(): readonly Address[] {
    return [...this.#joined]
  }

  /** Of the last minutes. */
  turnedAway(): readonly TurnedAway[] {
    const sinceMs = this.#clock.monotonicMs() - REMEMBERED_MS
    return [...this.#turnedAway.values()].filter(({ atMs }) => atMs >= sinceMs)
  }
}

function addressOf(id: string): Address {
  return addressFromPublicKey(parseDataLenient(id))
}
