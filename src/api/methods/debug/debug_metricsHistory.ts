import { array, nullable, number, object, string, enum as zenum } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { HISTORY_SERIES } from '#api/history-series.ts'
import { SAMPLE_INTERVAL_MS } from '#platform/metrics/metrics-history.ts'

/** Enough for a chart; the sum of a few hundred long fractions would be most of the answer. */
const DIGITS = 6

export default defineMethod({
  name: 'debug_metricsHistory',
  summary: 'The last hour of 20 metrics, one sample every 10 seconds.',
  needs: ['metrics', 'node'],
  params: {},
  result: object({
    intervalSeconds: number(),
    times: array(number()).meta({
      description: "when each sample was taken, in seconds of the node's clock since 1970; the oldest first",
    }),
    series: array(
      object({
        title: string(),
        unit: zenum(['count', 'bytes', 'seconds', 'per second']),
        metric: string().meta({ description: 'category and name, as in `debug_metrics`' }),
        values: array(nullable(number())).meta({ description: 'null if the metric had no value' }),
      }),
    ),
  }),
  run: async ({ metrics, node }) => {
    const { agesMs, values } = await metrics.history()
    const nowMs = node.wallMs()
    return {
      intervalSeconds: SAMPLE_INTERVAL_MS / 1_000,
      times: agesMs.map((ageMs) => Math.round((nowMs - ageMs) / 100) / 10),
      series: HISTORY_SERIES.map(({ title, unit, category, name }, at) => ({
        title,
        unit,
        metric: `${category}.${name}`,
        values: values[at]!.map((value) =>
          Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : null,
        ),
      })),
    }
  },
})
