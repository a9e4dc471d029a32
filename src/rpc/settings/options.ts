import { boolean, decimal, integer, long } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { userLimitList } from '#rpc/limits/user-limits.ts'
import { hostList, originList } from '#rpc/registry/api-names.ts'
import { authenticationRows, listeningRows } from './transport-options.ts'

const MIB = 1024 * 1024

const notNegative = { ...integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), label: 'LONG' }

export const rpcOptions = defineOptions('JSON-RPC', {
  hostAllowlist: {
    flag: '--host-allowlist',
    kind: hostList,
    label: 'HOST,…',
    default: ['localhost', '127.0.0.1'],
    help: 'Host names under which this node may be called, over HTTP, WebSocket and for metrics; * for every name, none for no name.',
  },
  prettyPrint: {
    flag: '--json-pretty-print-enabled',
    kind: boolean,
    default: false,
    help: 'Indent answers to single requests.',
  },
  loginAttempts: {
    flag: '--rpc-login-attempts-per-minute',
    kind: integer({ min: 0 }),
    default: 60,
    help: 'How often one address may try to log in; 0 for no limit.',
  },
  threads: {
    flag: '--rpc-threads',
    kind: integer({ min: 1, max: 64 }),
    default: 1,
    help: 'Number of threads that hold connections and answer requests; several share the ports.',
  },
  engineThreads: {
    flag: '--rpc-engine-threads',
    kind: integer({ min: 0, max: 256 }),
    help: 'Number of threads for methods that execute code, such as eth_call. They start with the first request that needs one; with 0 the threads that hold connections execute them.',
    defaultText: 'two fewer than there are cores, at least 1',
  },
  httpTimeoutSeconds: {
    flag: '--Xhttp-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 30,
    hidden: true,
    help: 'Seconds after which a request over HTTP times out.',
  },
  httpStreamingTimeoutSeconds: {
    flag: '--Xhttp-streaming-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 600,
    hidden: true,
    help: 'Seconds after which a streamed answer times out.',
  },
  wsTimeoutSeconds: {
    flag: '--Xws-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 30,
    hidden: true,
    help: 'Seconds after which a request over WebSocket times out.',
  },
})

export const limitOptions = defineOptions('JSON-RPC limits', {
  userLimits: {
    flag: '--rpc-user-limits',
    kind: userLimitList,
    label: '[USER:]LIMIT=PER_MINUTE,…',
    default: [],
    defaultText: 'none',
    help: 'What one user (by its token) or one address (without one) may use in a minute: requests=6000,engine-seconds=20; for one alone: alice:requests=60000; 0 for no limit.',
  },
  maxLogsRange: {
    flag: '--rpc-max-logs-range',
    kind: notNegative,
    default: 5000,
    help: 'Maximum number of blocks of a log query; 0 for no limit.',
  },
  maxTraceFilterRange: {
    flag: '--rpc-max-trace-filter-range',
    kind: notNegative,
    default: 1000,
    help: 'Maximum number of blocks of a trace query; 0 for no limit.',
  },
  gasCap: {
    flag: '--rpc-gas-cap',
    kind: notNegative,
    default: 100_000_000,
    help: 'Maximum gas of a simulated call; 0 for no limit.',
  },
  estimateGasTolerance: {
    flag: '--estimate-gas-tolerance-ratio',
    kind: decimal,
    default: 0.015,
    help: 'How far an estimate of eth_estimateGas may be above the least gas, as a fraction of it; 0 for exact estimates.',
  },
  maxActiveFilters: {
    flag: '--rpc-max-active-filters',
    kind: integer({ min: 0 }),
    default: 1000,
    help: 'Maximum number of polling filters; 0 for no limit.',
  },
  filterTimeoutSeconds: {
    flag: '--rpc-filter-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 120,
    help: 'Seconds after which a filter that is not polled is removed.',
  },
  gasPriceBlocks: {
    flag: '--api-gas-price-blocks',
    kind: notNegative,
    default: 100,
    help: 'Number of recent blocks from which eth_gasPrice is computed.',
  },
  gasPricePercentile: {
    flag: '--api-gas-price-percentile',
    kind: decimal,
    default: 50,
    help: 'Percentile of the gas prices in those blocks that eth_gasPrice answers.',
  },
  gasPriceMax: {
    flag: '--api-gas-price-max',
    kind: notNegative,
    label: 'WEI',
    default: 500_000_000_000,
    help: 'Highest gas price to suggest.',
  },
  maxRequestBytes: {
    flag: '--rpc-max-request-memory',
    kind: { ...integer({ min: MIB, max: 2 ** 31 - 1 }), label: 'BYTES' },
    default: 256 * MIB,
    help: 'Maximum memory of one request while it is executed.',
  },
})

export const httpOptions = defineOptions('JSON-RPC over HTTP', {
  ...listeningRows('http', 'HTTP', 8545),
  maxBatchSize: {
    flag: '--rpc-http-max-batch-size',
    kind: integer(),
    default: 1024,
    help: 'Maximum number of requests in a batch; 0 or -1 for no limit.',
  },
  maxBodyBytes: {
    flag: '--rpc-http-max-request-content-length',
    kind: long,
    label: 'BYTES',
    default: 128 * MIB,
    help: 'Maximum size of a request in bytes.',
  },
  corsOrigins: {
    flag: '--rpc-http-cors-origins',
    kind: originList,
    label: 'ORIGIN,…',
    default: [],
    defaultText: 'none',
    help: 'Web origins, as regular expressions, whose pages may call, over WebSocket too; * for every origin.',
  },
  ...authenticationRows('http'),
})

export const websocketOptions = defineOptions('JSON-RPC over WebSocket', {
  ...listeningRows('ws', 'WebSocket', 8546),
  maxFrameBytes: {
    flag: '--rpc-ws-max-frame-size',
    kind: integer({ min: 1 }),
    label: 'BYTES',
    default: MIB,
    help: 'Maximum size of a frame in bytes; a message may be four times as long.',
  },
  maxSubscriptions: {
    flag: '--rpc-ws-max-active-subscriptions',
    kind: integer({ min: 0 }),
    default: 100_000,
    help: 'Maximum number of subscriptions of all connections together; 0 for none.',
  },
  ...authenticationRows('ws'),
})
