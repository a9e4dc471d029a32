import type { Address } from '#types/address.ts'
import { assert } from '#types/assert.ts'

/**
 * Who proposes in a round: validators take turns after the author of the block before. Where that one is no
 * validator any more, as after block 0, the turn begins at the next address.
 */
export function proposerOf(
  parentCoinbase: Address,
  /** Sorted. */
  validators: readonly Address[],
  round: number,
): Address {
  assert(validators.length > 0, 'A height has at least one validator.')
  const last = validators.indexOf(parentCoinbase)
  const next = last === -1 ? validators.findIndex((validator) => validator > parentCoinbase) : last + 1
  const start = next === -1 ? 0 : next
  return validators[(start + round) % validators.length]!
}
