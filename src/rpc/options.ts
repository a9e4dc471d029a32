import { boolean, decimal, integer, long, oneOf, path, port, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { apiList, hostList, methodList, originList } from './api-names.ts'
import { TOKEN_ALGORITHMS } from './auth/public-key.ts'

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
    help: 'Threads that hold connections and answer; several share the ports.',
  },
  engineThreads: {
    flag: '--rpc-engine-threads',
    kind: integer({ min: 0, max: 256 }),
    help: 'Threads for what executes code, such as eth_call; 0 lets the threads that hold connections do it.',
    defaultText: 'two fewer than there are cores, at least 1',
  },
  httpTimeoutSeconds: {
    flag: '--Xhttp-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 30,
    hidden: true,
    help: 'Seconds after which a request over HTTP is given up.',
  },
  httpStreamingTimeoutSeconds: {
    flag: '--Xhttp-streaming-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 600,
    hidden: true,
    help: 'Seconds after which an answer that is sent in pieces is given up.',
  },
  wsTimeoutSeconds: {
    flag: '--Xws-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 30,
    hidden: true,
    help: 'Seconds after which a request over WebSocket is given up.',
  },
})

export const limitOptions = defineOptions('JSON-RPC limits', {
  maxLogsRange: {
    flag: '--rpc-max-logs-range',
    kind: notNegative,
    default: 5000,
    help: 'Most blocks of a log query; 0 for no limit.',
  },
  maxTraceFilterRange: {
    flag: '--rpc-max-trace-filter-range',
    kind: notNegative,
    default: 1000,
    help: 'Most blocks of a trace query; 0 for no limit.',
  },
  gasCap: {
    flag: '--rpc-gas-cap',
    kind: notNegative,
    default: 100_000_000,
    help: 'Most gas of a simulated call; 0 for no limit.',
  },
  estimateGasTolerance: {
    flag: '--estimate-gas-tolerance-ratio',
    kind: decimal,
    default: 0.015,
    help: 'How far above the least gas eth_estimateGas may answer, as a part of it; 0 for exact answers.',
  },
  maxActiveFilters: {
    flag: '--rpc-max-active-filters',
    kind: integer({ min: 0 }),
    default: 1000,
    help: 'Most polling filters; 0 for no limit.',
  },
  filterTimeoutSeconds: {
    flag: '--rpc-filter-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 120,
    help: 'Seconds until a filter that nobody asks is dropped.',
  },
  gasPriceBlocks: {
    flag: '--api-gas-price-blocks',
    kind: notNegative,
    default: 100,
    help: 'Blocks looked at for the gas price.',
  },
  gasPricePercentile: {
    flag: '--api-gas-price-percentile',
    kind: decimal,
    default: 50,
    help: 'Percentile of their gas prices that eth_gasPrice answers.',
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
    help: 'Most memory that one request may hold while it is executed.',
  },
})

export const httpOptions = defineOptions('JSON-RPC over HTTP', {
  enabled: { flag: '--rpc-http-enabled', kind: boolean, default: false, help: 'Serve JSON-RPC over HTTP.' },
  host: {
    flag: '--rpc-http-host',
    kind: text,
    label: 'HOST',
    default: '127.0.0.1',
    help: 'Host to listen on.',
  },
  port: {
    flag: '--rpc-http-port',
    kind: port(),
    default: 8545,
    help: 'Port to listen on; 0 lets the system choose.',
  },
  apis: {
    flag: '--rpc-http-api',
    aliases: ['--rpc-http-apis'],
    kind: apiList,
    label: 'API,…',
    default: ['ETH', 'NET', 'WEB3'],
    help: 'APIs to serve: ADMIN, BFT, DEBUG, ETH, IBFT, MINER, NET, PERM, PLUGINS, QBFT, TRACE, TXPOOL, WEB3.',
  },
  noAuthMethods: {
    flag: '--rpc-http-api-methods-no-auth',
    aliases: ['--rpc-http-api-method-no-auth'],
    kind: methodList,
    label: 'METHOD,…',
    default: [],
    help: 'Methods that need no token while authentication is enabled.',
  },
  maxConnections: {
    flag: '--rpc-http-max-active-connections',
    kind: integer({ min: 1 }),
    default: 80,
    help: 'Most connections served at once; further ones are closed.',
  },
  maxBatchSize: {
    flag: '--rpc-http-max-batch-size',
    kind: integer(),
    default: 1024,
    help: 'Most requests in a batch; 0 or -1 for no limit.',
  },
  maxBodyBytes: {
    flag: '--rpc-http-max-request-content-length',
    kind: long,
    label: 'BYTES',
    default: 128 * MIB,
    help: 'Largest request in bytes.',
  },
  corsOrigins: {
    flag: '--rpc-http-cors-origins',
    kind: originList,
    label: 'ORIGIN,…',
    default: [],
    defaultText: 'none',
    help: 'Web origins, as regular expressions, whose pages may call, over WebSocket too; * for every origin.',
  },
  authenticationEnabled: {
    flag: '--rpc-http-authentication-enabled',
    kind: boolean,
    default: false,
    help: 'Require a token. Needs a credentials file or a public key file.',
  },
  credentialsFile: {
    flag: '--rpc-http-authentication-credentials-file',
    kind: path,
    help: 'TOML file with the users who may log in.',
  },
  publicKeyFile: {
    flag: '--rpc-http-authentication-jwt-public-key-file',
    kind: path,
    help: 'PEM file with the public key of whoever issues the tokens. Switches /login off.',
  },
  algorithm: {
    flag: '--rpc-http-authentication-jwt-algorithm',
    aliases: ['--rcp-http-authentication-jwt-algorithm'],
    kind: oneOf(TOKEN_ALGORITHMS),
    label: 'ALGORITHM',
    default: 'RS256',
    help: 'Algorithm of issued tokens: RS256, RS384, RS512, ES256, ES384 or ES512.',
  },
})

export const websocketOptions = defineOptions('JSON-RPC over WebSocket', {
  enabled: {
    flag: '--rpc-ws-enabled',
    kind: boolean,
    default: false,
    help: 'Serve JSON-RPC over WebSocket.',
  },
  host: {
    flag: '--rpc-ws-host',
    kind: text,
    label: 'HOST',
    default: '127.0.0.1',
    help: 'Host to listen on.',
  },
  port: {
    flag: '--rpc-ws-port',
    kind: port(),
    default: 8546,
    help: 'Port to listen on; 0 lets the system choose.',
  },
  apis: {
    flag: '--rpc-ws-api',
    aliases: ['--rpc-ws-apis'],
    kind: apiList,
    label: 'API,…',
    default: ['ETH', 'NET', 'WEB3'],
    help: 'APIs to serve, as for HTTP.',
  },
  noAuthMethods: {
    flag: '--rpc-ws-api-methods-no-auth',
    aliases: ['--rpc-ws-api-method-no-auth'],
    kind: methodList,
    label: 'METHOD,…',
    default: [],
    help: 'Methods that need no token while authentication is enabled.',
  },
  maxConnections: {
    flag: '--rpc-ws-max-active-connections',
    kind: integer({ min: 1 }),
    default: 80,
    help: 'Most connections served at once; further ones are closed.',
  },
  maxFrameBytes: {
    flag: '--rpc-ws-max-frame-size',
    kind: integer({ min: 1 }),
    label: 'BYTES',
    default: MIB,
    help: 'Largest frame in bytes; a message may have four times as many.',
  },
  authenticationEnabled: {
    flag: '--rpc-ws-authentication-enabled',
    kind: boolean,
    default: false,
    help: 'Require a token. Needs a credentials file or a public key file.',
  },
  credentialsFile: {
    flag: '--rpc-ws-authentication-credentials-file',
    kind: path,
    help: 'TOML file with the users who may log in.',
  },
  publicKeyFile: {
    flag: '--rpc-ws-authentication-jwt-public-key-file',
    kind: path,
    help: 'PEM file with the public key of whoever issues the tokens. Switches /login off.',
  },
  algorithm: {
    flag: '--rpc-ws-authentication-jwt-algorithm',
    aliases: ['--rcp-ws-authentication-jwt-algorithm'],
    kind: oneOf(TOKEN_ALGORITHMS),
    label: 'ALGORITHM',
    default: 'RS256',
    help: 'Algorithm of issued tokens: RS256, RS384, RS512, ES256, ES384 or ES512.',
  },
})
