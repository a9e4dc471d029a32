import type { CounterRow, GaugeRow } from '#platform/metrics/metrics.ts'

export const AUDIT_LINES: CounterRow = {
  kind: 'counter',
  category: 'rpc',
  name: 'audit_lines',
  help: 'Number of lines written to the audit log',
}

export const AUDIT_UNWRITTEN: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'audit_unwritten_lines',
  help: 'Lines that wait because the audit log cannot be written; calls that change something are refused meanwhile',
}
