import type { GaugeRow } from '#platform/metrics.ts'

/** The reference's names. */
export const ACTIVE_HTTP_CONNECTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'active_http_connection_count',
  help: 'Connections over HTTP that are being served',
}

export const ACTIVE_WS_CONNECTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'active_ws_connection_count',
  help: 'Connections over WebSocket that are being served',
}
