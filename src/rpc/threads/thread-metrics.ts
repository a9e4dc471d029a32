import type { CounterRow, GaugeRow } from '#platform/metrics/metrics.ts'

/** Told by main, which looks at every thread to end one that uses too much. */
export const THREAD_HEAP: GaugeRow<'thread'> = {
  kind: 'gauge',
  category: 'process',
  name: 'thread_heap_bytes',
  help: 'Memory that a server or engine thread uses, in bytes',
  labels: ['thread'],
}

export const ENGINE_REQUESTS: CounterRow = {
  kind: 'counter',
  category: 'rpc',
  name: 'engine_requests',
  help: 'Number of requests that engine threads began to execute',
}
