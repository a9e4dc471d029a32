/** The accumulator of an era: the SSZ hash tree root of its block hashes and total difficulties. */
import { createHash } from 'node:crypto'
import { concatBytes } from '#types/bytes.ts'

/** Blocks per era. */
export const ERA_BLOCKS = 8_192
const DEPTH = Math.log2(ERA_BLOCKS)
const WORD_BYTES = 32

export interface HeaderEntry {
  readonly hash: Uint8Array
  readonly totalDifficulty: bigint
}

/** The root of List[(hash, total difficulty), 8192]. */
export function accumulatorOf(headers: readonly HeaderEntry[]): Uint8Array {
  let level = headers.map(({ hash, totalDifficulty }) => pairHash(hash, littleEndianWord(totalDifficulty)))
  let empty: Uint8Array = new Uint8Array(WORD_BYTES)
  for (let depth = 0; depth < DEPTH; depth++) {
    const next: Uint8Array[] = []
    for (let at = 0; at < level.length; at += 2) next.push(pairHash(level[at]!, level[at + 1] ?? empty))
    level = next
    empty = pairHash(empty, empty)
  }
  return pairHash(level[0] ?? empty, littleEndianWord(BigInt(headers.length)))
}

export function littleEndianWord(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex').reverse()
}

export function wordFromLittleEndian(word: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(word).reverse().toString('hex')}`)
}

function pairHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return createHash('sha256').update(concatBytes(left, right)).digest()
}
