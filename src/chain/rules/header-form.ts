/** The header fields beyond the first fifteen, each introduced by a fork. */
import type { Rules } from '#evm/rules.ts'
import type { BlockHeader, OptionalHeaderField } from '#types/block/block-header.ts'
import { FORKS } from '#types/genesis/fork-schedule.ts'

const FIELD_FORKS = FORKS.flatMap(({ name, headerFields = [] }) =>
  headerFields.map((field) => [field, name] as const),
)

export const FORKED_FIELDS: readonly OptionalHeaderField[] = FIELD_FORKS.map(([field]) => field)

export type HeaderForm = ReadonlySet<OptionalHeaderField>

/**
 * The forms that a header may have; blocks built here have the first. With fixedBaseFee Besu has no blob market, so
 * headers end before the blob fields. The option may have been added to the genesis file later: earlier blocks have
 * the fields of their fork.
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
