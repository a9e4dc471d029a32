import type { Address } from '#types/address.ts'
import { FORKS } from '#types/genesis/fork-schedule.ts'
import type { Rules } from './rules.ts'

/** EIP-7951, from Osaka on. */
const P256_VERIFY = 0x100

const derived = new WeakMap<Rules, ReadonlySet<Address>>()

export function precompilesOf(rules: Rules): ReadonlySet<Address> {
  const known = derived.get(rules)
  if (known !== undefined) return known
  const last = FORKS.findLast(({ name, lastPrecompile }) => lastPrecompile !== undefined && rules.has(name))!
    .lastPrecompile!
  const numbers = Array.from({ length: last }, (_, index) => index + 1)
  if (rules.has('osaka')) numbers.push(P256_VERIFY)
  const addresses = new Set(numbers.map((number) => `0x${number.toString(16).padStart(40, '0')}` as Address))
  derived.set(rules, addresses)
  return addresses
}
