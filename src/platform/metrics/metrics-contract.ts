import { question } from '#platform/contract.ts'
import type { MetricsData } from './metrics-merge.ts'

export const METRICS = {
  /** Every thread's metrics, merged. */
  merged: question<[], MetricsData>(),
}
