import type { CounterRow, Metrics } from '#platform/metrics/metrics.ts'

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

/** Told of every look. */
export function createCheckCounter(metrics: Metrics): (isPermitted: boolean) => void {
  const all = metrics.counter(ACCOUNT_CHECKS)
  const permitted = metrics.counter(ACCOUNT_CHECKS_PERMITTED)
  const unpermitted = metrics.counter(ACCOUNT_CHECKS_UNPERMITTED)
  return (isPermitted) => {
    all.inc()
    if (isPermitted) permitted.inc()
    else unpermitted.inc()
  }
}
