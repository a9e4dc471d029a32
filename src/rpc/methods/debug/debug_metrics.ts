import { record, string, unknown } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { presentMetrics } from '#rpc/present/metrics.ts'

/** Below a metric stand the values of its labels, or its number. */
const Metrics = record(string(), record(string(), unknown()))

export default defineMethod({
  name: 'debug_metrics',
  summary: 'The metrics of the node by category, name and the values of their labels.',
  needs: ['metrics'],
  params: {},
  result: Metrics,
  run: async ({ metrics }) => presentMetrics(await metrics.merged()),
})
