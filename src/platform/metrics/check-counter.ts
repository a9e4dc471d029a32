import type { CounterRow, Metrics } from './metrics.ts'

/** Counters of checks against an allowlist. */
export interface CheckRows {
  readonly all: CounterRow
  readonly permitted: CounterRow
  readonly unpermitted: CounterRow
}

/** Declares the counters for one kind of entry, which `article` precedes in the help texts. */
export function checkRows(article: 'a' | 'an', entry: 'account' | 'node'): CheckRows {
  const row = (suffix: string, outcome: string): CounterRow => ({
    kind: 'counter',
    category: 'permissioning',
    name: `${entry}_checks${suffix}`,
    help: `Number of times that ${article} ${entry} was ${outcome}`,
    besu: { name: `${entry}_local_check_count${suffix}` },
  })
  return {
    all: row('', 'looked up in the allowlist'),
    permitted: row('_permitted', 'found there'),
    unpermitted: row('_unpermitted', 'not found there'),
  }
}

export function createCheckCounter(metrics: Metrics, rows: CheckRows): (isPermitted: boolean) => void {
  const all = metrics.counter(rows.all)
  const permitted = metrics.counter(rows.permitted)
  const unpermitted = metrics.counter(rows.unpermitted)
  return (isPermitted) => {
    all.inc()
    if (isPermitted) permitted.inc()
    else unpermitted.inc()
  }
}
