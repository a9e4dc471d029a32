import { type OwnerOf, question } from '#platform/contract.ts'
import type { MetricsSnapshot } from './metrics-merge.ts'

export const METRICS = {
  /** Of all threads. */
  merged: question<[], MetricsSnapshot>(),
}

export type LiveMetrics = OwnerOf<typeof METRICS>
