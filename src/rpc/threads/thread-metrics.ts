import type { CounterRow } from '#platform/metrics/metrics.ts'

export const ENGINE_REQUESTS: CounterRow = {
  kind: 'counter',
  category: 'rpc',
  name: 'engine_requests',
  help: 'Number of requests that engine threads began to execute',
}
