import { record, string, unknown } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { presentMetrics } from '#api/present/metrics.ts'

/** Below a metric are the values of its labels, or its number. */
const Metrics = record(string(), record(string(), unknown()))

export default defineMethod({
  name: 'debug_metrics',
  summary: 'The metrics of the node by category, name and label values.',
  needs: ['metrics'],
  params: {},
  result: Metrics,
  run: async ({ metrics }) => presentMetrics(await metrics.merged()),
})
