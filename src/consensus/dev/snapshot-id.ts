import type { HeadMark } from '#chain/read/chain-view.ts'
import type { Hash } from '#types/hash.ts'
import { formatQuantity } from '#types/hex.ts'

const HASH_BITS = 64n
/** 0x and the digits of HASH_BITS. */
const HASH_CHARS = 18

/**
 * The id of a snapshot: the number of the block and the start of its hash. The chain itself is the record of snapshots, so
 * they cost nothing, survive a restart, and end when their block leaves the chain.
 */
export function snapshotId({ number, hash }: HeadMark): string {
  return formatQuantity(((BigInt(number) + 1n) << HASH_BITS) | startOf(hash))
}

/** Returns the block to which the id refers; undefined if its block is not on the chain. */
export function snapshotBlock(id: bigint, hashAt: (number: number) => Hash | undefined): number | undefined {
  const number = Number(id >> HASH_BITS) - 1
  if (number < 0 || !Number.isSafeInteger(number)) return undefined
  const hash = hashAt(number)
  return hash !== undefined && startOf(hash) === BigInt.asUintN(Number(HASH_BITS), id) ? number : undefined
}

function startOf(hash: Hash): bigint {
  return BigInt(hash.slice(0, HASH_CHARS))
}
