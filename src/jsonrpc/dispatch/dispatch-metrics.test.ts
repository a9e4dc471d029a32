import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { createDispatchMetrics } from './dispatch-metrics.ts'

test('dashboards of Besu find its names and labels', async () => {
  const metrics = createMetrics({ prefix: 'besu_', onSourceError: assert.fail })
  const { onCall, onError } = createDispatchMetrics(metrics)
  onCall('net_version', 250)
  onError('web3_sha3', 'INVALID_PARAM_COUNT')
  const { body } = await metrics.exposition()
  assert.match(body, /^besu_rpc_request_time_sum\{methodName="net_version"\} 0\.25$/m)
  assert.match(body, /^besu_rpc_request_time_count\{methodName="net_version"\} 1$/m)
  assert.match(
    body,
    /^besu_rpc_errors_count_total\{rpcMethod="web3_sha3",errorType="INVALID_PARAM_COUNT"\} 1$/m,
  )
})
