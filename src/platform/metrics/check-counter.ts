import type { CounterRow, Metrics } from './metrics.ts'

/** Of looks into a list: all of them, those that found what they looked for, and those that did not. */
export interface CheckRows {
  readonly all: CounterRow
  readonly permitted: CounterRow
  readonly unpermitted: CounterRow
}

/** Told of every look. */
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
