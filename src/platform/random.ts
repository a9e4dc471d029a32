import { randomBytes, randomInt } from 'node:crypto'

export interface Random {
  randomBytes(length: number): Uint8Array
  /** An integer from 0 up to, not including, `limit`, which is at most 2^32. */
  randomBelow(limit: number): number
}

/** The operating system's generator, suitable for keys. */
export const systemRandom: Random = { randomBytes, randomBelow: (limit) => randomInt(limit) }
