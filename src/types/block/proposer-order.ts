/**
 * The order in which validators take turns. Besu and Cairn sort addresses by bytes. After a restart, GoQuorum sorts
 * them by checksummed text: digits, upper-case letters, lower-case letters.
 */
import { type Address, withChecksum } from '#types/address.ts'

export const PROPOSER_ORDERS = ['BYTES', 'CHECKSUM'] as const
export type ProposerOrder = (typeof PROPOSER_ORDERS)[number]

/** Cached, because a validator set lives for a height and the proposer is looked up for every message. */
const sortedByChecksum = new WeakMap<readonly Address[], readonly Address[]>()

export function inChecksumOrder(validators: readonly Address[]): readonly Address[] {
  const known = sortedByChecksum.get(validators)
  if (known !== undefined) return known
  const texts = validators.map((address) => ({ address, text: withChecksum(address) }))
  const sorted = texts.toSorted((a, b) => (a.text < b.text ? -1 : 1)).map(({ address }) => address)
  sortedByChecksum.set(validators, sorted)
  return sorted
}

/** Whether some validator has different successors in the two orders. */
export function ordersDiffer(validators: readonly Address[]): boolean {
  const byBytes = validators.toSorted()
  const byChecksum = inChecksumOrder(byBytes)
  const shift = byChecksum.indexOf(byBytes[0]!)
  return byBytes.some((address, index) => byChecksum[(index + shift) % byChecksum.length] !== address)
}
