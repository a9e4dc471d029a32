import type { RpcErrorKind } from '#jsonrpc/errors.ts'
import type { CounterRow, Metrics, SummaryRow } from '#platform/metrics/metrics.ts'

export const REQUEST_TIME: SummaryRow<'method'> = {
  kind: 'summary',
  category: 'rpc',
  name: 'request_time',
  help: 'Time to process a JSON-RPC request, in seconds',
  labels: ['method'],
  besu: { name: 'request_time', labels: { method: 'methodName' } },
}

export const ERRORS: CounterRow<'method' | 'error'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'errors',
  help: 'JSON-RPC errors by method and error name',
  labels: ['method', 'error'],
  besu: { name: 'errors_count', labels: { method: 'rpcMethod', error: 'errorType' } },
}

/** Only for methods that exist: unknown names would create unlimited labels. */
export type DispatchMetrics = ReturnType<typeof createDispatchMetrics>

export function createDispatchMetrics(metrics: Metrics) {
  const requestTime = metrics.summary(REQUEST_TIME)
  const errors = metrics.counter(ERRORS)
  return {
    onCall: (method: string, durationMs: number) => requestTime.observe(durationMs / 1_000, { method }),
    onError: (method: string, error: RpcErrorKind) => errors.inc({ method, error }),
  }
}
