import type { GaugeRow } from '#platform/metrics/metrics.ts'

export const ACTIVE_HTTP_CONNECTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'active_http_connections',
  help: 'Number of open connections over HTTP',
  besu: { name: 'active_http_connection_count' },
}

export const ACTIVE_WS_CONNECTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'active_ws_connections',
  help: 'Number of open connections over WebSocket',
  besu: { name: 'active_ws_connection_count' },
}
