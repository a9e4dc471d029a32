import type { Address } from '#types/address.ts'
import { MAX_UINT256 } from '#types/bytes.ts'
import { JsonObject } from '#types/json/json-value.ts'
import { FORK_NAMES, type ForkName } from './fork-schedule.ts'
import type { GenesisDraft } from './genesis.ts'
import { joinPath } from './genesis-problems.ts'
import { addressFromShortHex } from './genesis-section.ts'

/** The highest address of the precompiled contracts at 1, 2, 3 ... from a fork on. */
const LOW_PRECOMPILES: readonly (readonly [ForkName, bigint])[] = [
  ['frontier', 0x04n],
  ['byzantium', 0x08n],
  ['istanbul', 0x09n],
  ['cancun', 0x0an],
  ['prague', 0x11n],
]
const P256_VERIFY = 0x100n

export function validateAlloc(draft: GenesisDraft): void {
  let sum = 0n
  const withCode = new Set<Address>()
  for (const [address, { balance, code }] of draft.genesis.alloc) {
    sum += balance
    if (code.length > 0) withCode.add(address)
  }
  if (sum > MAX_UINT256) {
    const sentence = 'All balances together are above 2^256 - 1, so that a transfer may overflow; lower them.'
    draft.problems.warn('$.alloc', sentence)
  }
  validatePrecompiles(draft, withCode)
}

function validatePrecompiles(
  { genesis, root, problems }: GenesisDraft,
  withCode: ReadonlySet<Address>,
): void {
  const alloc = root.value('alloc')
  if (withCode.size === 0 || !(alloc instanceof JsonObject)) return
  const lastFork = FORK_NAMES.indexOf(genesis.config.forks.forks.at(-1)?.name ?? 'frontier')
  const isScheduled = (fork: ForkName): boolean => FORK_NAMES.indexOf(fork) <= lastFork
  const lastLow = LOW_PRECOMPILES.findLast(([fork]) => isScheduled(fork))?.[1] ?? 0n
  for (const key of alloc.keys()) {
    const address = addressFromShortHex(key)
    if (address === undefined || !withCode.has(address)) continue
    const number = BigInt(address)
    const isLow = number > 0n && number <= lastLow
    if (!isLow && !(number === P256_VERIFY && isScheduled('osaka'))) continue
    const sentence =
      'A precompiled contract has this address, so that the code is never run; use another address.'
    problems.warn(joinPath('$.alloc', key), sentence)
  }
}
