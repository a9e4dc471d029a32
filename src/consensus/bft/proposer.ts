import type { Address } from '#types/address.ts'
import { ZERO_ADDRESS } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { inChecksumOrder, type ProposerOrder } from '#types/block/proposer-order.ts'

/**
 * The proposer of a round: validators take turns after the author of the parent. If that author is no longer a validator, as
 * after block 0, the next address begins.
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

/** The order of restarted GoQuorum nodes: after an author who left the set, the second validator begins. */
function proposerByChecksum(parentCoinbase: Address, validators: readonly Address[], round: number): Address {
  assert(validators.length > 0, 'A height has at least one validator.')
  const sorted = inChecksumOrder(validators)
  const start = parentCoinbase === ZERO_ADDRESS ? 0 : Math.max(sorted.indexOf(parentCoinbase), 0) + 1
  return sorted[(start + round) % sorted.length]!
}

export const PROPOSER_BY: Readonly<Record<ProposerOrder, typeof proposerOf>> = {
  BYTES: proposerOf,
  CHECKSUM: proposerByChecksum,
}
