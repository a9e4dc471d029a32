/** How many subscriptions there may be, and their numbers: one count for all servers of a node. */
import { assert } from '#types/assert.ts'

/** In shared memory, so that asking costs nothing and a server that ended can be forgotten. */
export interface SharedSubscriptions {
  /** Of each server. */
  readonly counts: Int32Array
  /** The number that was given last, in its only place. */
  readonly last: BigInt64Array
}

const BYTES_PER_COUNT = 4
const BYTES_PER_NUMBER = 8

export function shareSubscriptions(servers: number): SharedSubscriptions {
  return {
    counts: new Int32Array(new SharedArrayBuffer(servers * BYTES_PER_COUNT)),
    last: new BigInt64Array(new SharedArrayBuffer(BYTES_PER_NUMBER)),
  }
}

export class SubscriptionSlots {
  readonly #max: number
  readonly #shared: SharedSubscriptions
  readonly #server: number

  /** `server`: which of the counts is this one's. */
  constructor(max: number, shared: SharedSubscriptions, server: number) {
    this.#max = max
    this.#shared = shared
    this.#server = server
  }

  /** Its number, from 1 on, of which no other has the same; undefined: there are as many as allowed. */
  take(): bigint | undefined {
    const { counts, last } = this.#shared
    Atomics.add(counts, this.#server, 1)
    let taken = 0
    for (let server = 0; server < counts.length; server++) taken += Atomics.load(counts, server)
    if (taken <= this.#max) return Atomics.add(last, 0, 1n) + 1n
    Atomics.sub(counts, this.#server, 1)
    return undefined
  }

  release(): void {
    assert(Atomics.sub(this.#shared.counts, this.#server, 1) > 0, 'A subscription ends once.')
  }
}
