/** Which fields a header has beyond the first fifteen: each came with a fork. */
import type { Rules } from '#evm/rules.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { ForkName } from '#types/genesis/fork-schedule.ts'
import type { OptionalHeaderField } from '#types/genesis/genesis-header.ts'

const FIELD_FORKS: readonly (readonly [OptionalHeaderField, ForkName])[] = [
  ['baseFeePerGas', 'london'],
  ['withdrawalsRoot', 'shanghai'],
  ['blobGasUsed', 'cancun'],
  ['excessBlobGas', 'cancun'],
  ['parentBeaconBlockRoot', 'cancun'],
  ['requestsHash', 'prague'],
  ['blockAccessListHash', 'amsterdam'],
  ['slotNumber', 'amsterdam'],
]

export const FORKED_FIELDS: readonly OptionalHeaderField[] = FIELD_FORKS.map(([field]) => field)

export type HeaderForm = ReadonlySet<OptionalHeaderField>

/**
 * The forms that a header with `rules` may have; blocks built here have the first. With fixedBaseFee Besu has no blob
 * market, so that headers end before the blob fields whatever the fork. The option may have been added to a genesis
 * file later: blocks from before have the fields of their fork.
 */
export function headerFormsOf(rules: Rules): readonly [HeaderForm, ...HeaderForm[]] {
  const fields = FIELD_FORKS.filter(([, fork]) => rules.has(fork)).map(([field]) => field)
  const full = new Set(fields)
  if (rules.feeMarket !== 'fixed') return [full]
  return [new Set(fields.slice(0, FORKED_FIELDS.indexOf('blobGasUsed'))), full]
}

/** Whether a header has the short form of fixedBaseFee. */
export function endsBeforeBlobs(header: BlockHeader, rules: Rules): boolean {
  return rules.feeMarket === 'fixed' && header.blobGasUsed === undefined
}
