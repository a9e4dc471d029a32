import { assert } from '#types/assert.ts'
import type { Random } from './random.ts'

const UINT32_RANGE = 2 ** 32

function createRandom(fill: (bytes: Uint8Array) => void): Random {
  const randomBytes = (length: number): Uint8Array => {
    const bytes = new Uint8Array(length)
    fill(bytes)
    return bytes
  }
  return {
    randomBytes,
    randomBelow(limit) {
      assert(
        Number.isInteger(limit) && limit > 0 && limit <= UINT32_RANGE,
        `a random number lies below a limit of 1 to 2^32, not ${limit}`,
      )
      // The last, incomplete run of `limit` values would favour small numbers, so draw again.
      const fairLimit = UINT32_RANGE - (UINT32_RANGE % limit)
      for (;;) {
        const drawn = new DataView(randomBytes(4).buffer).getUint32(0)
        if (drawn < fairLimit) return drawn % limit
      }
    },
  }
}

/** Draws the same numbers for the same seed (mulberry32). For tests and simulation, never for keys. */
export function createSeededRandom(seed: number): Random {
  let state = seed >>> 0
  const nextUint32 = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  return createRandom((bytes) => {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = nextUint32()
      for (let j = 0; j < 4 && i + j < bytes.length; j += 1) bytes[i + j] = word >>> (24 - 8 * j)
    }
  })
}
