import { usageFault } from '#config/faults.ts'
import { boolean, integer, type Kind, listOf, long, oneOf, path, port, text } from '#config/kinds.ts'
import { suggestion } from '#config/nearest.ts'
import { defineOptions } from '#config/option.ts'
import { TOKEN_ALGORITHMS } from '#jsonrpc/auth/public-key.ts'
import { userLimitList } from '#jsonrpc/limits/user-limits.ts'
import type { MethodNames } from '#jsonrpc/registry/method-names.ts'

const MIB = 1024 * 1024

export const rpcOptions = defineOptions('JSON-RPC', {
  hostAllowlist: {
    flag: '--host-allowlist',
    kind: whoMayCome('hostnames'),
    label: 'HOST,…',
    default: ['localhost', '127.0.0.1'],
    help: 'Accepted Host headers for HTTP, WebSocket and metrics; * for all.',
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
    help: 'Login attempts per address and minute; 0 for no limit.',
  },
  threads: {
    flag: '--rpc-threads',
    kind: integer({ min: 0, max: 64 }),
    default: 1,
    help: 'Server threads, which share the ports.',
    details:
      'With 0, the main thread serves and produces the blocks. Only --network=DEV allows it, where it is the default: requests do not cross threads.',
  },
  engineThreads: {
    flag: '--rpc-engine-threads',
    kind: integer({ min: 0, max: 256 }),
    help: 'Threads for methods that execute code, such as eth_call.',
    details: 'They start with the first request that needs one. With 0, server threads execute such methods.',
    defaultText: 'two fewer than there are cores, at least 1',
  },
  httpTimeoutSeconds: {
    flag: '--Xhttp-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 30,
    hidden: true,
    help: 'Timeout of an HTTP request in seconds.',
  },
  httpStreamingTimeoutSeconds: {
    flag: '--Xhttp-streaming-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 600,
    hidden: true,
    help: 'Timeout of a streamed answer in seconds.',
  },
  wsTimeoutSeconds: {
    flag: '--Xws-timeout-seconds',
    kind: integer({ min: 1 }),
    default: 30,
    hidden: true,
    help: 'Timeout of a WebSocket request in seconds.',
  },
})

export const userLimitOptions = defineOptions('JSON-RPC limits', {
  userLimits: {
    flag: '--rpc-user-limits',
    kind: userLimitList,
    label: '[USER:]LIMIT=PER_MINUTE,…',
    default: [],
    defaultText: 'none',
    help: 'Limits per minute, user and address: requests=6000,engine-seconds=20.',
    details: 'A user is known by its token. Limits for one user: alice:requests=60000; 0 for no limit.',
  },
})

/** The options of both transports, and the APIs that they accept and that no longer exist. */
export type TransportOptions = ReturnType<typeof createTransportOptions>

export function createTransportOptions(names: MethodNames) {
  return {
    retiredApis: names.retiredApis,
    http: defineOptions('JSON-RPC over HTTP', {
      ...listeningRows(names, 'http', 'HTTP', 8545),
      maxBatchSize: {
        flag: '--rpc-http-max-batch-size',
        kind: integer(),
        default: 1024,
        help: 'Maximum requests per batch; 0 or -1 for no limit.',
      },
      maxBodyBytes: {
        flag: '--rpc-http-max-request-content-length',
        kind: long,
        label: 'BYTES',
        default: 128 * MIB,
        help: 'Maximum request size in bytes.',
      },
      corsOrigins: {
        flag: '--rpc-http-cors-origins',
        kind: whoMayCome('origins'),
        label: 'ORIGIN,…',
        default: [],
        defaultText: 'none',
        help: 'CORS origins as regular expressions; * for all.',
        details: 'The origins also apply to WebSocket.',
      },
      ...authenticationRows('http'),
    }),
    websocket: defineOptions('JSON-RPC over WebSocket', {
      ...listeningRows(names, 'ws', 'WebSocket', 8546),
      maxFrameBytes: {
        flag: '--rpc-ws-max-frame-size',
        kind: integer({ min: 1 }),
        label: 'BYTES',
        default: MIB,
        help: 'Maximum frame size in bytes; messages may be four times longer.',
      },
      maxSubscriptions: {
        flag: '--rpc-ws-max-active-subscriptions',
        kind: integer({ min: 0 }),
        default: 100_000,
        help: 'Maximum subscriptions of all connections; 0 for none.',
      },
      ...authenticationRows('ws'),
    }),
  }
}

type Word = 'http' | 'ws'

function listeningRows(names: MethodNames, word: Word, transport: string, defaultPort: number) {
  return {
    enabled: {
      flag: `--rpc-${word}-enabled`,
      kind: boolean,
      default: false,
      help: `Serve JSON-RPC over ${transport}.`,
    },
    host: {
      flag: `--rpc-${word}-host`,
      kind: text,
      label: 'HOST',
      default: '127.0.0.1',
      help: 'Host to listen on.',
    },
    port: {
      flag: `--rpc-${word}-port`,
      kind: port(),
      default: defaultPort,
      help: 'Port to listen on; 0 lets the system choose.',
    },
    apis: {
      flag: `--rpc-${word}-api`,
      aliases: [`--rpc-${word}-apis`],
      kind: apiList(names),
      label: 'API,…',
      default: ['ETH', 'NET', 'WEB3'],
      help: () => `APIs to serve: ${names.servedApis().join(', ')}.`,
    },
    noAuthMethods: {
      flag: `--rpc-${word}-api-methods-no-auth`,
      aliases: [`--rpc-${word}-api-method-no-auth`],
      kind: methodList(names),
      label: 'METHOD,…',
      default: [],
      help: 'Methods callable without a token despite authentication.',
    },
    maxConnections: {
      flag: `--rpc-${word}-max-active-connections`,
      kind: integer({ min: 1 }),
      default: 80,
      help: 'Maximum open connections; further ones are closed.',
    },
  } as const
}

function authenticationRows(word: Word) {
  return {
    authenticationEnabled: {
      flag: `--rpc-${word}-authentication-enabled`,
      kind: boolean,
      default: false,
      help: 'Require a token. Needs a credentials file or a public key file.',
    },
    credentialsFile: {
      flag: `--rpc-${word}-authentication-credentials-file`,
      kind: path,
      help: 'TOML file with the users who may log in.',
    },
    publicKeyFile: {
      flag: `--rpc-${word}-authentication-jwt-public-key-file`,
      kind: path,
      help: 'PEM file with the token issuer key; disables /login.',
    },
    algorithm: {
      flag: `--rpc-${word}-authentication-jwt-algorithm`,
      aliases: [`--rcp-${word}-authentication-jwt-algorithm`],
      kind: oneOf(TOKEN_ALGORITHMS),
      label: 'ALGORITHM',
      default: 'RS256',
      help: 'Algorithm of issued tokens: RS256, RS384, RS512, ES256, ES384 or ES512.',
    },
  } as const
}

export function apiList(known: MethodNames): Kind<readonly string[]> {
  return listOf(text, (names) => {
    const accepted = known.apis()
    const invalid = names.filter((name) => !accepted.includes(name) && !known.retiredApis.includes(name))
    if (invalid.length === 0) return names
    const hint = suggestion(invalid[0]!, accepted)
    throw usageFault(`invalid entries found [${invalid.join(', ')}]; APIs are ${accepted.join(', ')}.${hint}`)
  })
}

export function methodList(known: MethodNames): Kind<readonly string[]> {
  return listOf(text, (names) => {
    const accepted = known.all()
    const invalid = names.find((name) => !accepted.has(name))
    if (invalid === undefined) return names
    throw usageFault(
      `options must be valid RPC methods, but there is no ${invalid}.${suggestion(invalid, accepted)}`,
    )
  })
}

/** `*` or `all` admits everyone and `none` no one; neither can be combined with names. */
export function whoMayCome(noun: string): Kind<readonly string[]> {
  return listOf(text, (entries) => {
    const words = entries.map((entry) => (entry === 'all' ? '*' : entry))
    const sweeping = words.find((word) => word === '*' || word === 'none')
    if (sweeping === undefined) return words
    if (words.length > 1) {
      throw usageFault(`Value '${sweeping === '*' ? "*' or 'all" : 'none'}' can't be used with other ${noun}`)
    }
    return sweeping === 'none' ? [] : words
  })
}
