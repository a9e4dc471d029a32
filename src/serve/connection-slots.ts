import { assert } from '#types/assert.ts'

/** How many connections may be served at once. A connection takes a slot with its first request. */
export interface ConnectionSlots {
  tryTake(): boolean
  release(): void
  /** By this server thread. */
  readonly taken: number
}

/**
 * Server threads that share a port share `counts` in shared memory, one count each, so that the limit holds for the
 * service and not for each thread, and what a thread that died had taken can be forgotten.
 */
export function createConnectionSlots(
  max: number,
  counts: Int32Array = new Int32Array(1),
  own = 0,
): ConnectionSlots {
  assert(max > 0, `at least one connection is allowed, not ${max}`)
  return {
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
