import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import { checkCredentialsFile, createCredentialsFile, type TransportWord } from '#rpc/auth/credentials.ts'
import { loadPublicKey } from '#rpc/auth/public-key.ts'
import { generateTokenKey } from '#rpc/auth/tokens.ts'
import { limitedUsers } from '#rpc/limits/user-limits.ts'
import { RETIRED_API_NAMES } from '#rpc/registry/api-names.ts'
import type { RequestLimits } from '#rpc/resources.ts'
import { httpOptions, limitOptions, rpcOptions, websocketOptions } from './options.ts'
import { readHttpTls, readWebSocketTls } from './read-tls-config.ts'
import type { AuthenticationConfig, HttpConfig, TransportConfig, WebSocketConfig } from './server-config.ts'

type Warn = (sentence: string) => void

/** HTTP as the options want it, or null when it is off. Files are checked now, so that a mistake stops the start. */
export function readHttpConfig(settings: Settings, warn: Warn): HttpConfig | null {
  if (!settings.get(httpOptions.enabled)) return null
  return {
    ...readTransport(settings, httpOptions, 'HTTP', warn),
    timeoutMs: settings.get(rpcOptions.httpTimeoutSeconds) * 1000,
    tls: readHttpTls(settings),
    maxBatchSize: settings.get(httpOptions.maxBatchSize),
    maxBodyBytes: settings.get(httpOptions.maxBodyBytes),
    streamingTimeoutMs: settings.get(rpcOptions.httpStreamingTimeoutSeconds) * 1000,
  }
}

export function readWebSocketConfig(settings: Settings, warn: Warn): WebSocketConfig | null {
  if (!settings.get(websocketOptions.enabled)) return null
  return {
    ...readTransport(settings, websocketOptions, 'WS', warn),
    timeoutMs: settings.get(rpcOptions.wsTimeoutSeconds) * 1000,
    tls: readWebSocketTls(settings),
    maxFrameBytes: settings.get(websocketOptions.maxFrameBytes),
  }
}

export function readRequestLimits(settings: Settings): RequestLimits {
  return {
    gasCap: BigInt(settings.get(limitOptions.gasCap)),
    estimateGasTolerance: settings.get(limitOptions.estimateGasTolerance),
    maxLogsRange: settings.get(limitOptions.maxLogsRange),
    maxTraceFilterRange: settings.get(limitOptions.maxTraceFilterRange),
    maxRequestBytes: settings.get(limitOptions.maxRequestBytes),
    gasPrice: {
      blocks: settings.get(limitOptions.gasPriceBlocks),
      percentile: settings.get(limitOptions.gasPricePercentile),
      maxWei: BigInt(settings.get(limitOptions.gasPriceMax)),
    },
  }
}

/**
 * Limits of users that no credentials file names. Files are read again at every login, so such a user may come later. A
 * token of another issuer may name any user.
 */
export function unknownLimitedUsers(
  settings: Settings,
  transports: readonly (Pick<TransportConfig, 'authentication'> | null)[],
): string[] {
  const ways = transports.flatMap((transport) => transport?.authentication ?? [])
  if (ways.some(({ mode }) => mode === 'publicKey')) return []
  const files = ways.flatMap((way) => (way.mode === 'credentials' ? [way.file] : []))
  const known = new Set(files.flatMap((file) => [...createCredentialsFile(file).load().keys()]))
  return limitedUsers(settings.get(limitOptions.userLimits))
    .filter((user) => !known.has(user))
    .map(
      (user) =>
        `${limitOptions.userLimits.flag} limits the user '${user}', which ${files.join(' and ')} does not name.`,
    )
}

type TransportOptions = typeof httpOptions | typeof websocketOptions

function readTransport(
  settings: Settings,
  options: TransportOptions,
  word: TransportWord,
  warn: Warn,
): Omit<TransportConfig, 'timeoutMs' | 'tls'> {
  const apis = settings.get(options.apis)
  const retired = apis.filter((name) => (RETIRED_API_NAMES as readonly string[]).includes(name))
  if (retired.length > 0)
    warn(`${options.apis.flag} names ${retired.join(', ')}, which no longer exist; the rest is served.`)
  return {
    host: settings.get(options.host),
    port: settings.get(options.port),
    apis: apis.filter((name) => !retired.includes(name)),
    maxConnections: settings.get(options.maxConnections),
    corsOrigins: settings.get(httpOptions.corsOrigins),
    authentication: readAuthentication(settings, options, word, warn),
  }
}

function readAuthentication(
  settings: Settings,
  options: TransportOptions,
  word: TransportWord,
  warn: Warn,
): AuthenticationConfig {
  if (!settings.get(options.authenticationEnabled)) return { mode: 'off' }
  const noAuthMethods = settings.get(options.noAuthMethods)
  const publicKeyFile = settings.get(options.publicKeyFile)
  if (publicKeyFile !== undefined) {
    const algorithm = settings.get(options.algorithm)
    loadPublicKey(publicKeyFile, algorithm)
    return { mode: 'publicKey', file: publicKeyFile, algorithm, noAuthMethods }
  }
  const credentialsFile = settings.get(options.credentialsFile)
  if (credentialsFile === undefined) {
    const endpoint = word === 'HTTP' ? 'HTTP' : 'WebSocket'
    throw usageFault(
      `Unable to authenticate JSON-RPC ${endpoint} endpoint without a supplied credentials file or authentication public key file: give ${options.credentialsFile.flag} or ${options.publicKeyFile.flag}.`,
    )
  }
  for (const warning of checkCredentialsFile(credentialsFile, word)) warn(warning)
  return {
    mode: 'credentials',
    file: credentialsFile,
    tokenKeyPem: generateTokenKey().reveal(),
    noAuthMethods,
  }
}
