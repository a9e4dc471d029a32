import { assert } from '#types/assert.ts'

/** How many connections may be served at once. A connection takes a slot with its first request. */
export interface ConnectionSlots {
  tryTake(): boolean
  release(): void
  readonly taken: number
}

/**
 * `cell` is the count. Server threads that share a port share a cell in shared memory, so that the limit holds
 * for the service and not for each thread.
 */
export function createConnectionSlots(max: number, cell: Int32Array = new Int32Array(1)): ConnectionSlots {
  assert(max > 0, `at least one connection is allowed, not ${max}`)
  return {
    tryTake() {
      if (Atomics.add(cell, 0, 1) < max) return true
      Atomics.sub(cell, 0, 1)
      return false
    },
    release() {
      assert(Atomics.sub(cell, 0, 1) > 0, 'a connection releases its slot once')
    },
    get taken() {
      return Atomics.load(cell, 0)
    },
  }
}
