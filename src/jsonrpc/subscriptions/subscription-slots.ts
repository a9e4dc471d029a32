/** Limits subscriptions and assigns their numbers, for all servers of a node. */
import { assert } from '#types/assert.ts'

/** In shared memory: checking costs no message, and the count of a server that died can be reset. */
export interface SharedSubscriptions {
  /** One count per server. */
  readonly counts: Int32Array
  /** The number assigned last, as the only element. */
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

export interface SubscriptionConfig {
  /** For all servers together. */
  readonly max: number
  readonly shared: SharedSubscriptions
  /** The index of this server's count. */
  readonly server: number
}

export class SubscriptionSlots {
  readonly #config: SubscriptionConfig

  constructor(config: SubscriptionConfig) {
    this.#config = config
  }

  /** Returns a unique number from 1 on, or undefined if the limit is reached. */
  take(): bigint | undefined {
    const { max, shared, server } = this.#config
    const { counts, last } = shared
    Atomics.add(counts, server, 1)
    let taken = 0
    for (let each = 0; each < counts.length; each++) taken += Atomics.load(counts, each)
    if (taken <= max) return Atomics.add(last, 0, 1n) + 1n
    Atomics.sub(counts, server, 1)
    return undefined
  }

  release(): void {
    const { shared, server } = this.#config
    assert(Atomics.sub(shared.counts, server, 1) > 0, 'A subscription ends once.')
  }
}
