import type { CheckRows } from '#platform/metrics/check-counter.ts'
import type { CounterRow } from '#platform/metrics/metrics.ts'

export const ACCOUNT_CHECKS: CounterRow = {
  kind: 'counter',
  category: 'permissioning',
  name: 'account_checks',
  help: 'Number of times that an account was looked up in the allowlist',
  besu: { name: 'account_local_check_count' },
}

export const ACCOUNT_CHECKS_PERMITTED: CounterRow = {
  kind: 'counter',
  category: 'permissioning',
  name: 'account_checks_permitted',
  help: 'Number of times that an account was found there',
  besu: { name: 'account_local_check_count_permitted' },
}

export const ACCOUNT_CHECKS_UNPERMITTED: CounterRow = {
  kind: 'counter',
  category: 'permissioning',
  name: 'account_checks_unpermitted',
  help: 'Number of times that an account was not found there',
  besu: { name: 'account_local_check_count_unpermitted' },
}

export const ACCOUNT_CHECK_ROWS: CheckRows = {
  all: ACCOUNT_CHECKS,
  permitted: ACCOUNT_CHECKS_PERMITTED,
  unpermitted: ACCOUNT_CHECKS_UNPERMITTED,
}
