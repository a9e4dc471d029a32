import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDispatchMetrics } from '#jsonrpc/dispatch/dispatch-metrics.ts'
import { createMetrics, type GaugeRow } from '#platform/metrics/metrics.ts'
import { presentMetrics } from './metrics.ts'

const HEIGHT: GaugeRow = { kind: 'gauge', category: 'ethereum', name: 'height', help: 'Height.' }

test('metrics stand below their category, their name without prefix and the values of their labels', async () => {
  const main = createMetrics({ prefix: 'besu_', process: true, onSourceError: () => assert.fail() })
  const server = createMetrics({ prefix: 'besu_', onSourceError: () => assert.fail() })
  main.collectFrom('server-0', async () => structuredClone(await server.sample()))
  main.gauge(HEIGHT).set(121)
  const calls = createDispatchMetrics(server)
  calls.onCall('eth_call', 500)
  calls.onError('eth_call', 'REVERT_ERROR')
  calls.onError('__proto__', 'TIMEOUT_ERROR')
  const quantile = { '0.2': 0.5, '0.5': 0.5, '0.8': 0.5, '0.95': 0.5, '0.99': 0.5, '1.0': 0.5 }
  assert.equal(
    JSON.stringify(presentMetrics(await main.merged())),
    JSON.stringify({
      ethereum: { height: 121 },
      rpc: {
        request_time: { eth_call: { quantile, sum: 0.5, count: 1 } },
        errors_count: { eth_call: { REVERT_ERROR: 1 }, ['__proto__']: { TIMEOUT_ERROR: 1 } },
      },
    }),
  )
})
