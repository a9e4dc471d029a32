import { question } from '#platform/contract.ts'
import type { SeriesHistory } from './metrics-history.ts'
import type { MetricsData } from './metrics-merge.ts'

export const METRICS = {
  /** Every thread's metrics, merged. */
  merged: question<[], MetricsData>(),
  /** The last hour of the series that the node keeps. */
  history: question<[], SeriesHistory>(),
}
