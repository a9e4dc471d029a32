/** Serves methods over HTTP, over WebSocket and, to the embedding program, over a channel. */
import { type BcryptThread, startBcryptThread } from '#jsonrpc/auth/bcrypt-thread.ts'
import { type AuthenticationConfig, createAuthenticator } from '#jsonrpc/auth/create-authenticator.ts'
import type { AdmitLogin } from '#jsonrpc/auth/login-limit.ts'
import { type AuthMetrics, createAuthMetrics } from '#jsonrpc/auth/refusals.ts'
import { type DispatcherOptions, MessageDispatcher } from '#jsonrpc/dispatch/dispatch.ts'
import { createDispatchMetrics, type DispatchMetrics } from '#jsonrpc/dispatch/dispatch-metrics.ts'
import { unlessAborted } from '#jsonrpc/dispatch/result-stream.ts'
import type { Dispatcher } from '#jsonrpc/dispatcher.ts'
import type { Method } from '#jsonrpc/method.ts'
import { apisOfMethods, createRegistry, type RegistryOptions } from '#jsonrpc/registry/registry.ts'
import type { HeightSource } from '#jsonrpc/server/height-gate.ts'
import { createHttpHandler, startHttpServer } from '#jsonrpc/server/http.ts'
import { createHandshakes, type Handshakes, startWebSocketServer } from '#jsonrpc/server/websocket.ts'
import type { ServerConfig, TlsConfig, TransportConfig } from '#jsonrpc/settings/server-config.ts'
import { systemClock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { GaugeRow, Metrics } from '#platform/metrics/metrics.ts'
import { Secret } from '#platform/secret.ts'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { type HealthFacts, shareFacts } from '#serve/health.ts'
import type { HttpHandler, HttpSettings, RunningServer } from '#serve/serve-http.ts'
import type { ServiceAddress } from '#serve/services-contract.ts'
import type { TlsSettings } from '#serve/tls/tls.ts'
import type { TlsPassword } from '#serve/tls/tls-files.ts'
import { assert } from '#types/assert.ts'
import {
  callInProcess,
  type InProcessAnswer,
  type InProcessCall,
  InProcessConnections,
} from './in-process-connections.ts'

/** Running requests are answered within this time; then their connections are closed. */
const DRAIN_MS = 5_000

export const ACTIVE_HTTP_CONNECTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'active_http_connections',
  help: 'Open HTTP connections',
  besu: { name: 'active_http_connection_count' },
}

export const ACTIVE_WS_CONNECTIONS: GaugeRow = {
  kind: 'gauge',
  category: 'rpc',
  name: 'active_ws_connections',
  help: 'Open WebSocket connections',
  besu: { name: 'active_ws_connection_count' },
}

/** `port` is the one in use, even if the system chose it. */
export interface ServerAddresses {
  readonly http: ServiceAddress | null
  readonly websocket: ServiceAddress | null
  readonly console: ServiceAddress | null
  readonly engine: ServiceAddress | null
}

export interface ServerParts
  extends Pick<DispatcherOptions, 'api' | 'resources' | 'remoteEngine' | 'brief' | 'callLimits'> {
  readonly log: Log
  readonly metrics: Metrics
  readonly methods: readonly Method[]
  /** Served on the port of a consensus client alone. */
  readonly engineMethods?: readonly Method[]
  readonly heights: HeightSource
  readonly admitLogin: AdmitLogin
  facts(): Promise<HealthFacts>
  /** Listens for requests in another room, if `pipeline` is configured. */
  listen?(pipeline: RpcPipeline): Promise<RunningServer>
}

/** JSON-RPC and /login for a listener in another room, which has checked the origin of each request. */
export interface RpcPipeline extends Handshakes {
  readonly settings: HttpSettings
  readonly handle: HttpHandler
  /** How callers authenticate: with a password, with a token from elsewhere, or not at all. */
  readonly authentication: AuthenticationConfig['mode']
  /** True if the method exists and does not change a node. */
  isRead(method: string): boolean
}

export interface JsonRpcServer {
  readonly addresses: ServerAddresses
  /** A request of the embedding program. */
  call(call: InProcessCall, context: { readonly signal: AbortSignal }): Promise<InProcessAnswer>
  /** The notifications of the embedding program. The connection is open when this returns; the signal closes it. */
  connection(id: number, signal: AbortSignal): AsyncIterable<string>
  stop(): Promise<void>
}

interface Building extends ServerParts {
  readonly config: ServerConfig
  readonly dispatchMetrics: DispatchMetrics
  readonly authMetrics: AuthMetrics
  readonly passwords: BcryptThread | null
}

/** Resolves when it listens. */
export async function startJsonRpcServer(config: ServerConfig, parts: ServerParts): Promise<JsonRpcServer> {
  const { log, metrics, methods } = parts
  const building: Building = {
    ...parts,
    config,
    dispatchMetrics: createDispatchMetrics(metrics),
    authMetrics: createAuthMetrics(metrics),
    passwords: await startPasswords(config, log),
  }
  const inProcess = config.takesInProcess
    ? buildDispatcher(building, { apis: apisOfMethods(methods) })
    : undefined
  const connections = new InProcessConnections()
  const http = await buildHttp(building)
  const websocket = await buildWebSocket(building)
  const guest = await buildGuest(building)
  const engine = await buildEnginePort(building)
  return {
    addresses: {
      http: addressOf(config.http, http),
      websocket: addressOf(config.websocket, websocket),
      console: addressOf(config.pipeline, guest),
      engine: addressOf(config.enginePort, engine),
    },
    call: (call, context) => {
      assert(inProcess !== undefined, 'In-process requests need takesInProcess.')
      return callInProcess(inProcess, connections, call, context)
    },
    connection: (id, signal) => connections.open(id, signal),
    stop: async () => {
      const drained = AbortSignal.timeout(DRAIN_MS)
      await Promise.all([
        http?.stop(drained),
        websocket?.stop(drained),
        guest?.stop(drained),
        engine?.stop(drained),
        building.passwords?.stop(DRAIN_MS),
      ])
    },
  }
}

async function startPasswords(config: ServerConfig, log: Log): Promise<BcryptThread | null> {
  const transports = [config.http, config.websocket, config.pipeline]
  const needed = transports.some((each) => each?.authentication.mode === 'credentials')
  return needed ? await startBcryptThread({ clock: systemClock, log: log.child('auth') }) : null
}

async function buildHttp(building: Building): Promise<RunningServer | null> {
  const { config, log, metrics, heights } = building
  if (config.http === null) return null
  const { maxConnections, maxBatchSize, maxBodyBytes, timeoutMs, streamingTimeoutMs } = config.http
  const { sharing } = config
  const slots = createConnectionSlots(maxConnections, sharing?.httpConnections, sharing?.server)
  metrics.gaugeOf(ACTIVE_HTTP_CONNECTIONS, () => slots.taken)
  const facts = shareFacts(() => building.facts(), systemClock)
  return startHttpServer({
    ...common(building, config.http),
    slots,
    dispatcher: buildDispatcher(building, { apis: config.http.apis, staysConnected: false }, maxBatchSize),
    limits: { bodyMaxBytes: maxBodyBytes, timeoutMs, streamingTimeoutMs },
    heights,
    health: (signal) => unlessAborted(facts(), signal),
    log: log.child('http'),
  })
}

async function buildWebSocket(building: Building): Promise<RunningServer | null> {
  const { config, api, log, metrics, callLimits } = building
  if (config.websocket === null) return null
  const { maxConnections, maxFrameBytes, timeoutMs } = config.websocket
  const { sharing } = config
  const slots = createConnectionSlots(maxConnections, sharing?.websocketConnections, sharing?.server)
  metrics.gaugeOf(ACTIVE_WS_CONNECTIONS, () => slots.taken)
  return startWebSocketServer({
    ...common(building, config.websocket),
    slots,
    dispatcher: buildDispatcher(building, { apis: config.websocket.apis, always: api.alwaysOverWebSocket }),
    limits: { frameMaxBytes: maxFrameBytes, timeoutMs },
    onNotified: callLimits && ((who) => callLimits.chargeNotification(who)),
    log: log.child('websocket'),
  })
}

async function buildGuest(building: Building): Promise<RunningServer | null> {
  const { config, methods, heights, callLimits, listen } = building
  if (config.pipeline === null || listen === undefined) return null
  const { maxConnections, maxBatchSize, maxBodyBytes, timeoutMs, streamingTimeoutMs, ...transport } =
    config.pipeline
  const { mode: authentication } = transport.authentication
  const slots = createConnectionSlots(maxConnections)
  const log = building.log.child('console')
  const limits = { bodyMaxBytes: maxBodyBytes, timeoutMs, streamingTimeoutMs }
  // The listener compares the origin with its own.
  const settings = { ...common(building, { ...config.pipeline, corsOrigins: ['*'] }), slots, log, limits }
  const registry = { apis: apisOfMethods(methods), isReadOnly: authentication === 'off' }
  const facts = shareFacts(() => building.facts(), systemClock)
  const handshakes = createHandshakes({
    ...settings,
    dispatcher: buildDispatcher(building, registry),
    limits: { frameMaxBytes: transport.maxFrameBytes, timeoutMs: transport.websocketTimeoutMs },
    onNotified: callLimits && ((who) => callLimits.chargeNotification(who)),
  })
  const handle = createHttpHandler({
    ...settings,
    dispatcher: buildDispatcher(building, { ...registry, staysConnected: false }, maxBatchSize),
    heights,
    health: (signal) => unlessAborted(facts(), signal),
  })
  const reads = createRegistry({ methods, apis: registry.apis, isReadOnly: true })
  const isRead = (method: string) => reads.find(method).ok
  return await listen({ ...handshakes, settings, handle, authentication, isRead })
}

/** Its caller is this node's consensus client, which has no limits. */
async function buildEnginePort(building: Building): Promise<RunningServer | null> {
  const { config, log, heights, methods, engineMethods = [] } = building
  if (config.enginePort === null) return null
  const { maxConnections, maxBatchSize, maxBodyBytes, timeoutMs, streamingTimeoutMs, ...port } =
    config.enginePort
  const facts = shareFacts(() => building.facts(), systemClock)
  const served = { ...building, methods: [...methods, ...engineMethods], callLimits: undefined }
  return startHttpServer({
    ...common(building, config.enginePort),
    reusePort: false,
    hostAllowlist: port.hostAllowlist,
    slots: createConnectionSlots(maxConnections),
    dispatcher: buildDispatcher(served, { apis: port.apis, staysConnected: false }, maxBatchSize),
    limits: { bodyMaxBytes: maxBodyBytes, timeoutMs, streamingTimeoutMs },
    heights,
    health: (signal) => unlessAborted(facts(), signal),
    log: log.child('engine'),
  })
}

function common({ config, log, passwords, admitLogin, authMetrics }: Building, transport: TransportConfig) {
  const { rpc, sharing } = config
  const { hostAllowlist } = rpc
  const authenticator = createAuthenticator(transport.authentication, {
    clock: systemClock,
    log: log.child('auth'),
    metrics: authMetrics,
    admitLogin,
    passwords,
  })
  const tls = transport.tls && withSecrets(transport.tls)
  const { host, port, corsOrigins } = transport
  const address = { host, port, reusePort: sharing !== null }
  return { ...address, clock: systemClock, hostAllowlist, corsOrigins, authenticator, ...(tls && { tls }) }
}

function buildDispatcher(
  building: Building,
  registry: Omit<RegistryOptions, 'methods' | 'absent'>,
  maxBatchSize = 0,
): Dispatcher {
  const { config, log, dispatchMetrics, methods, api, resources, remoteEngine, brief, callLimits } = building
  return new MessageDispatcher({
    api,
    registry: createRegistry({ methods, absent: api.absentMethods, ...registry }),
    resources,
    remoteEngine,
    brief,
    callLimits,
    limits: { maxBatchSize },
    prettyPrint: config.rpc.prettyPrint,
    metrics: dispatchMetrics,
    log: log.child('rpc'),
    clock: systemClock,
  })
}

function withSecrets(tls: TlsConfig): TlsSettings {
  const password = (given: { file: string } | { secret: string }): TlsPassword =>
    'secret' in given ? { secret: new Secret(given.secret) } : given
  const { identity, clients } = tls
  const authorities = clients?.authorities ?? null
  const store =
    authorities !== null && authorities !== 'system' && authorities.kind === 'pkcs12' ? authorities : null
  return {
    ...tls,
    identity: identity.kind === 'pkcs12' ? { ...identity, password: password(identity.password) } : identity,
    clients: clients && {
      ...clients,
      authorities: store
        ? { ...store, password: password(store.password) }
        : (authorities as 'system' | null),
    },
  }
}

function addressOf(config: TransportConfig | null, server: RunningServer | null) {
  return config && server && { host: config.host, port: server.port }
}
