/** Which addresses are precompiles. */
import type { Address } from '#types/address.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'
import type { Rules } from './rules.ts'

/** The highest of the run that begins at 1, by the fork that brought it; latest first. */
const LAST_OF_RUN: readonly (readonly [ForkName, number])[] = [
  ['prague', 0x11],
  ['cancun', 0x0a],
  ['istanbul', 0x09],
  ['byzantium', 0x08],
  ['frontier', 0x04],
]
/** EIP-7951, from Osaka on. */
const P256_VERIFY = 0x100

const derived = new WeakMap<Rules, ReadonlySet<Address>>()

export function precompilesOf(rules: Rules): ReadonlySet<Address> {
  const known = derived.get(rules)
  if (known !== undefined) return known
  const last = LAST_OF_RUN.find(([fork]) => rules.has(fork))![1]
  const numbers = Array.from({ length: last }, (_, index) => index + 1)
  if (rules.has('osaka')) numbers.push(P256_VERIFY)
  const addresses = new Set(numbers.map((number) => `0x${number.toString(16).padStart(40, '0')}` as Address))
  derived.set(rules, addresses)
  return addresses
}
