import type { CounterRow, Metrics, SummaryRow } from '#platform/metrics.ts'
import type { RpcErrorKind } from './errors.ts'

/** Told about every call of a method that exists; names nobody knows would make labels without end. */
export interface DispatchMetrics {
  onCall(method: string, durationMs: number): void
  onError(method: string, kind: RpcErrorKind): void
}

export const REQUEST_TIME: SummaryRow<'methodName'> = {
  kind: 'summary',
  category: 'rpc',
  name: 'request_time',
  help: 'Time used to process a JSON-RPC request, in seconds',
  labels: ['methodName'],
}

export const ERRORS_COUNT: CounterRow<'rpcMethod' | 'errorType'> = {
  kind: 'counter',
  category: 'rpc',
  name: 'errors_count',
  help: 'Number of errors per RPC method and RPC error type',
  labels: ['rpcMethod', 'errorType'],
}

/** The reference's names and labels. */
export function createDispatchMetrics(metrics: Metrics): DispatchMetrics {
  const requestTime = metrics.summary(REQUEST_TIME)
  const errors = metrics.counter(ERRORS_COUNT)
  return {
    onCall: (methodName, durationMs) => requestTime.observe(durationMs / 1_000, { methodName }),
    onError: (rpcMethod, errorType) => errors.inc({ rpcMethod, errorType }),
  }
}
