import { assert } from '#types/assert.ts'

/** Limits the connections served at once. A connection takes a slot with its first request. */
export interface ConnectionSlots {
  tryTake(): boolean
  release(): void
  /** Slots of the service. */
  readonly max: number
  /** Slots taken by this server thread. */
  readonly taken: number
}

/**
 * Server threads that share a port also share `counts` in shared memory, one count each. So the limit applies to the
 * service instead of each thread, and the slots of a dead thread can be released.
 */
export function createConnectionSlots(
  max: number,
  counts: Int32Array = new Int32Array(1),
  own = 0,
): ConnectionSlots {
  assert(max > 0, `at least one connection is allowed, not ${max}`)
  return {
    max,
    tryTake() {
      Atomics.add(counts, own, 1)
      let taken = 0
      for (let server = 0; server < counts.length; server++) taken += Atomics.load(counts, server)
      if (taken <= max) return true
      Atomics.sub(counts, own, 1)
      return false
    },
    release() {
      assert(Atomics.sub(counts, own, 1) > 0, 'a connection releases its slot once')
    },
    get taken() {
      return Atomics.load(counts, own)
    },
  }
}
