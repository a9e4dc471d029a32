/** A node's resources and services: JSON-RPC, blocks, memory, disk and plugins. */

import { IMPORT_TIME, STATE_ROOT_TIME } from '#chain/chain-metrics.ts'
import { DATABASE_SIZE, DISK_FREE, MIN_GAS_PRICE, MIN_PRIORITY_FEE } from '#chain/main-metrics.ts'
import { AUDIT_LINES, AUDIT_UNWRITTEN } from '#jsonrpc/audit/audit-log.ts'
import { FAILED_LOGINS, UNAUTHORIZED_CALLS } from '#jsonrpc/auth/refusals.ts'
import { ERRORS, REQUEST_TIME } from '#jsonrpc/dispatch/dispatch-metrics.ts'
import { LIMIT_REFUSALS } from '#jsonrpc/limits/call-limits.ts'
import { SUBSCRIBED, UNSUBSCRIBED } from '#jsonrpc/subscriptions/subscriptions.ts'
import { ENGINE_REQUESTS } from '#jsonrpc/threads/engine-protocol.ts'
import { ACTIVE_HTTP_CONNECTIONS, ACTIVE_WS_CONNECTIONS } from '#jsonrpc/threads/json-rpc-server.ts'
import { THREAD_HEAP } from '#platform/thread/threads.ts'
import { PLUGIN_RESTARTS, PLUGIN_UNANSWERED, PLUGIN_UP } from '#plugins/host/plugin-metrics.ts'
import { MEMORY_LIMIT, RELEASE } from '#serve/process-metrics.ts'
import {
  CHOSEN,
  type Dashboard,
  lines,
  of,
  orZero,
  type Panel,
  quantileOf,
  rareRate,
  rate,
  type Section,
  told,
  value,
  valueBy,
} from './panel.ts'

/** For a metric of Prometheus' client library, which has no row of ours. */
function processPanel(
  title: string,
  help: string,
  unit: string,
  ...exprs: readonly [string, string][]
): Panel {
  const targets = exprs.map(([expr, legend]) => ({ expr, legend: `{{instance}} ${legend}`.trim() }))
  return { title, help, unit, kind: 'timeseries', targets }
}

const calls = `${of(REQUEST_TIME, '_count')}[$__rate_interval]`

const RPC: Section = {
  title: 'JSON-RPC',
  panels: [
    lines(
      'Calls per second',
      [told(REQUEST_TIME, orZero(`sum by (instance, method) (rate(${calls}))`), '{{instance}} {{method}}')],
      { unit: 'reqps', help: 'By method.' },
    ),
    lines(
      'Call time, p99',
      [told(REQUEST_TIME, orZero(quantileOf(REQUEST_TIME, 0.99)), '{{instance}} {{method}}')],
      { unit: 's' },
    ),
    lines('Errors per second', [rareRate(ERRORS, 'method', 'error')]),
    lines(
      'Connections',
      [value(ACTIVE_HTTP_CONNECTIONS, 'HTTP'), value(ACTIVE_WS_CONNECTIONS, 'WebSocket')],
      {
        help: 'Open connections.',
      },
    ),
    lines('Subscriptions per second', [
      told(SUBSCRIBED, rareRate(SUBSCRIBED, 'type')[1].expr, '{{instance}} {{type}} subscribed'),
      told(UNSUBSCRIBED, rareRate(UNSUBSCRIBED, 'type')[1].expr, '{{instance}} {{type}} unsubscribed'),
    ]),
    lines('Engine thread calls per second', [rareRate(ENGINE_REQUESTS)]),
    lines('Unauthorized calls per second', [rareRate(UNAUTHORIZED_CALLS, 'reason')]),
    lines('Calls over user limits per second', [rareRate(LIMIT_REFUSALS, 'limit', 'caller')]),
    lines('Audit log entries per second', [rareRate(AUDIT_LINES)]),
    lines('Unwritten audit log entries', [value(AUDIT_UNWRITTEN, 'lines')]),
    lines('Refused logins per second', [rareRate(FAILED_LOGINS, 'reason')]),
  ],
}

const BLOCKS: Section = {
  title: 'Blocks',
  panels: [
    lines('Block processing by step', [rate(IMPORT_TIME, 'step')], {
      unit: 'percentunit',
      help: 'Cores used to validate, build and import blocks, by step.',
    }),
    lines('State root time, p99', [told(STATE_ROOT_TIME, quantileOf(STATE_ROOT_TIME, 0.99))], {
      unit: 's',
    }),
    lines('Minimum gas price', [value(MIN_GAS_PRICE), value(MIN_PRIORITY_FEE, 'priority fee')]),
  ],
}

const PROCESS: Section = {
  title: 'Process',
  panels: [
    lines('Version', [told(RELEASE, of(RELEASE), '{{instance}} {{version}}')]),
    processPanel('Uptime', 'Time since the start of the process.', 's', [
      `time() - process_start_time_seconds${CHOSEN}`,
      '',
    ]),
    processPanel('CPU', 'Cores that the process uses.', 'percentunit', [
      `rate(process_cpu_seconds_total${CHOSEN}[$__rate_interval])`,
      '',
    ]),
    {
      ...processPanel(
        'Memory',
        'Process memory and its limit.',
        'bytes',
        [`process_resident_memory_bytes${CHOSEN}`, 'used'],
        [of(MEMORY_LIMIT), 'limit'],
      ),
    },
    lines('Thread memory', [valueBy(THREAD_HEAP, 'thread')], { unit: 'bytes' }),
    processPanel('Garbage collection time', 'Share of main thread time.', 'percentunit', [
      `sum by (instance) (rate(nodejs_gc_duration_seconds_sum${CHOSEN}[$__rate_interval]))`,
      '',
    ]),
    processPanel('Main thread lag', 'Delay of timers; consensus and the pool run on this thread.', 's', [
      `nodejs_eventloop_lag_p99_seconds${CHOSEN}`,
      '',
    ]),
    processPanel(
      'Open files',
      'Open files and sockets, and their limit.',
      'short',
      [`process_open_fds${CHOSEN}`, 'open'],
      [`process_max_fds${CHOSEN}`, 'limit'],
    ),
    lines('Disk', [value(DATABASE_SIZE, 'database'), value(DISK_FREE, 'free')], {
      unit: 'bytes',
      help: 'Database size and free disk space.',
    }),
  ],
}

const PLUGINS: Section = {
  title: 'Plugins',
  panels: [
    lines('Running plugins', [told(PLUGIN_UP, orZero(of(PLUGIN_UP)), '{{instance}} {{plugin}}')]),
    lines('Plugin restarts per second', [rareRate(PLUGIN_RESTARTS, 'plugin', 'cause')]),
    lines('Unanswered plugin calls per second', [rareRate(PLUGIN_UNANSWERED, 'plugin', 'hook', 'cause')]),
  ],
}

export const NODE_DASHBOARD: Dashboard = {
  uid: 'cairn-node',
  title: 'Cairn: nodes',
  help: 'Services and resources of nodes: JSON-RPC, blocks, memory, disk and plugins.',
  sections: [RPC, BLOCKS, PROCESS, PLUGINS],
}
