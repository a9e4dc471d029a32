import { usageFault } from '#config/faults.ts'
import type { Settings } from '#config/settings.ts'
import type { AuthenticationConfig } from '#jsonrpc/auth/create-authenticator.ts'
import { checkCredentialsFile, createCredentialsFile, type TransportWord } from '#jsonrpc/auth/credentials.ts'
import { loadPublicKey } from '#jsonrpc/auth/public-key.ts'
import { generateTokenKey } from '#jsonrpc/auth/tokens.ts'
import { limitedUsers } from '#jsonrpc/limits/user-limits.ts'
import { rpcOptions, type TransportOptions, userLimitOptions } from './options.ts'
import { readHttpTls, readWebSocketTls } from './read-tls-config.ts'
import type { HttpConfig, TransportConfig, WebSocketConfig } from './server-config.ts'

type Warn = (sentence: string) => void

/** Returns null if HTTP is off. Checks the files, so a mistake stops the start. */
export function readHttpConfig(settings: Settings, options: TransportOptions, warn: Warn): HttpConfig | null {
  return settings.get(options.http.enabled) ? readHttp(settings, options, warn) : null
}

/** Also for a listener in another room, which limits and authenticates callers as HTTP does. */
export function readHttp(settings: Settings, options: TransportOptions, warn: Warn): HttpConfig {
  return {
    ...readTransport(settings, options, 'HTTP', warn),
    timeoutMs: settings.get(rpcOptions.httpTimeoutSeconds) * 1000,
    tls: readHttpTls(settings),
    maxBatchSize: settings.get(options.http.maxBatchSize),
    maxBodyBytes: settings.get(options.http.maxBodyBytes),
    streamingTimeoutMs: settings.get(rpcOptions.httpStreamingTimeoutSeconds) * 1000,
  }
}

export function readWebSocketConfig(
  settings: Settings,
  options: TransportOptions,
  warn: Warn,
): WebSocketConfig | null {
  if (!settings.get(options.websocket.enabled)) return null
  return {
    ...readTransport(settings, options, 'WS', warn),
    timeoutMs: settings.get(rpcOptions.wsTimeoutSeconds) * 1000,
    tls: readWebSocketTls(settings),
    maxFrameBytes: settings.get(options.websocket.maxFrameBytes),
  }
}

/** Warnings for limited users that no credentials file names; they may appear later, or come from another issuer. */
export function unknownLimitedUsers(
  settings: Settings,
  transports: readonly (Pick<TransportConfig, 'authentication'> | null)[],
): string[] {
  const ways = transports.flatMap((transport) => transport?.authentication ?? [])
  if (ways.some(({ mode }) => mode === 'publicKey')) return []
  const files = ways.flatMap((way) => (way.mode === 'credentials' ? [way.file] : []))
  const known = new Set(files.flatMap((file) => [...createCredentialsFile(file).load().keys()]))
  return limitedUsers(settings.get(userLimitOptions.userLimits))
    .filter((user) => !known.has(user))
    .map(
      (user) =>
        `${userLimitOptions.userLimits.flag} limits the user '${user}', which ${files.join(' and ')} does not name.`,
    )
}

function readTransport(
  settings: Settings,
  { http, websocket, retiredApis }: TransportOptions,
  word: TransportWord,
  warn: Warn,
): Omit<TransportConfig, 'timeoutMs' | 'tls'> {
  const options = word === 'HTTP' ? http : websocket
  const apis = settings.get(options.apis)
  const retired = apis.filter((name) => retiredApis.includes(name))
  if (retired.length > 0)
    warn(`${options.apis.flag} names ${retired.join(', ')}, which no longer exist; the rest is served.`)
  return {
    host: settings.get(options.host),
    port: settings.get(options.port),
    apis: apis.filter((name) => !retired.includes(name)),
    maxConnections: settings.get(options.maxConnections),
    corsOrigins: settings.get(http.corsOrigins),
    authentication: readAuthentication(settings, options, word, warn),
  }
}

function readAuthentication(
  settings: Settings,
  options: TransportOptions['http' | 'websocket'],
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
