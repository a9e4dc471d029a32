import { boolean, explicitBoolean, integer, listOf, long, path, port, text } from '#config/kinds.ts'
import { inertOptions, isTrue } from './rows.ts'

const GRAPHQL = { why: 'Cairn does not serve GraphQL; use JSON-RPC.' } as const
const PUSH = {
  why: 'Prometheus scrapes Cairn, which pushes no metrics.',
  partOf: '--metrics-push-enabled',
} as const
const IPC = { partOf: '--Xrpc-ipc-enabled' } as const

export const rpcRows = [
  ...inertOptions('JSON-RPC limits', 'Cairn does not limit suggested fees by the minimum priority fee.', [
    ['--api-gas-and-priority-fee-limiting-enabled', boolean, 'Limit suggested fees.', { hidden: true }],
    [
      '--api-gas-and-priority-fee-lower-bound-coefficient',
      long,
      'Lower bound of suggested fees.',
      { hidden: true },
    ],
    [
      '--api-gas-and-priority-fee-upper-bound-coefficient',
      long,
      'Upper bound of suggested fees.',
      { hidden: true },
    ],
  ]),
  ...inertOptions('Metrics', PUSH, [
    ['--metrics-push-host', text, 'Host of the gateway.'],
    ['--metrics-push-port', port(), 'Port of the gateway.'],
    ['--metrics-push-interval', integer(), 'Seconds between pushes.'],
    ['--metrics-push-prometheus-job', text, 'Name of the job.'],
  ]),
  ...inertOptions(
    'Metrics',
    'Cairn always measures times, and the timeouts of its metrics service are fixed.',
    [
      ['--Xmetrics-timers-enabled', boolean, 'Measure times.', { isMet: isTrue }],
      ['--Xmetrics-idle-timeout', integer(), 'Seconds until an idle connection is closed.'],
    ],
  ),
  ...inertOptions('GraphQL', GRAPHQL, [['--graphql-http-enabled', boolean, 'Serve GraphQL.']]),
  ...inertOptions('GraphQL', { ...GRAPHQL, partOf: '--graphql-http-enabled' }, [
    ['--graphql-http-host', text, 'Host to listen on.'],
    ['--graphql-http-port', port(), 'Port to listen on.'],
    ['--graphql-http-cors-origins', listOf(text), 'Web origins that may call.'],
    ['--graphql-max-blocks-range', long, 'Maximum blocks per query.'],
    ['--graphql-tls-enabled', boolean, 'Serve over TLS.'],
    ['--graphql-tls-keystore-file', path, 'File with key and certificate.'],
    ['--graphql-tls-keystore-password-file', path, 'File with its password.'],
    ['--graphql-mtls-enabled', boolean, 'Require a client certificate.'],
    ['--graphql-tls-truststore-file', path, 'File with authorities.'],
    ['--graphql-tls-truststore-password-file', path, 'File with its password.'],
  ]),
  ...inertOptions('Other transports', 'Cairn serves JSON-RPC over HTTP and WebSocket only.', [
    ['--Xrpc-ipc-enabled', boolean, 'Serve over a socket file.'],
    ['--Xrpc-ipc-path', path, 'The socket file.', IPC],
    ['--Xrpc-ipc-api', listOf(text), 'APIs to serve.', { aliases: ['--Xrpc-ipc-apis'], ...IPC }],
    ['--Xin-process-rpc-enabled', explicitBoolean, 'Serve plugins in the process.'],
    [
      '--Xin-process-rpc-api',
      listOf(text),
      'APIs to serve.',
      { aliases: ['--Xin-process-rpc-apis'], partOf: '--Xin-process-rpc-enabled' },
    ],
  ]),
]
