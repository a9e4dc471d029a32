import type { CounterRow, Metrics, SummaryRow } from '#platform/metrics/metrics.ts'
import type { RpcErrorKind } from '#rpc/errors.ts'

/** Told of every call of a method that exists; names that nobody knows would make labels without end. */
export interface DispatchMetrics {
  onCall(method: string, durationMs: number): void
  onError(method: string, kind: RpcErrorKind): void
}

export const REQUEST_TIME: SummaryRow<'method'> = {
  kind: 'summary',
  category: 'rpc',
  name: 'request_time',
  help: 'Time used to process a JSON-RPC request, in seconds',
  labels: ['method'],
  besu: { name: 'request_time', labels: { method: 'methodName' } },
}

export const ERRORS: CounterRow<'method' | 'error'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'errors',
  help: 'Number of errors by method and by name of the error',
  labels: ['method', 'error'],
  besu: { name: 'errors_count', labels: { method: 'rpcMethod', error: 'errorType' } },
}

export function createDispatchMetrics(metrics: Metrics): DispatchMetrics {
  const requestTime = metrics.summary(REQUEST_TIME)
  const errors = metrics.counter(ERRORS)
  return {
    onCall: (method, durationMs) => requestTime.observe(durationMs / 1_000, { method }),
    onError: (method, error) => errors.inc({ method, error }),
  }
}
