/* Where a server thread begins: sockets, authentication and dispatch. What must be one for all servers it asks main. */

import { boundGarbage } from '#platform/bound-memory.ts'
import type { HandlerContext } from '#platform/channel/channel-protocol.ts'
import { systemClock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { nextTurn } from '#platform/next-turn.ts'
import { Secret } from '#platform/secret.ts'
import { runReportingThread } from '#platform/thread/reporting-thread.ts'
import type { Authenticator } from '#rpc/auth/authenticator.ts'
import { type BcryptThread, startBcryptThread } from '#rpc/auth/bcrypt-thread.ts'
import { createAuthenticator } from '#rpc/auth/create-authenticator.ts'
import { type AuthMetrics, createAuthMetrics } from '#rpc/auth/refusals.ts'
import type { Method } from '#rpc/define-method.ts'
import { unlessAborted } from '#rpc/dispatch/call/result-stream.ts'
import { createDispatcher } from '#rpc/dispatch/dispatch.ts'
import { createDispatchMetrics, type DispatchMetrics } from '#rpc/dispatch/dispatch-metrics.ts'
import type { Answer, Dispatcher } from '#rpc/dispatch/dispatcher.ts'
import { loadMethods } from '#rpc/registry/load-methods.ts'
import { ALWAYS_OVER_WEBSOCKET } from '#rpc/registry/method-names.ts'
import { pluginMethod } from '#rpc/registry/plugin-method.ts'
import { apisOfMethods, createRegistry, type RegistryOptions } from '#rpc/registry/registry.ts'
import { ACTIVE_HTTP_CONNECTIONS, ACTIVE_WS_CONNECTIONS } from '#rpc/server/connection-metrics.ts'
import { startHttpServer } from '#rpc/server/http.ts'
import { startWebSocketServer } from '#rpc/server/websocket.ts'
import type { ServerConfig, TlsConfig, TransportConfig } from '#rpc/settings/server-config.ts'
import { createConnectionSlots } from '#serve/connection-slots.ts'
import { shareFacts } from '#serve/health.ts'
import type { RunningServer } from '#serve/serve-http.ts'
import type { TlsSettings } from '#serve/tls/tls.ts'
import type { TlsPassword } from '#serve/tls/tls-files.ts'
import { assert } from '#types/assert.ts'
import { InProcessConnections } from './in-process-connections.ts'
import type { InProcessAnswer, InProcessCall } from './server-protocol.ts'
import { type MainChannel, openServerResources, type ServerResources } from './server-resources.ts'
import type { SERVER } from './server-thread.ts'

/** Requests under way are answered within this; then their connections are cut. */
const DRAIN_MS = 5_000

interface Building {
  readonly config: ServerConfig
  readonly log: Log
  readonly metrics: Metrics
  readonly dispatchMetrics: DispatchMetrics
  readonly authMetrics: AuthMetrics
  readonly passwords: BcryptThread | null
  readonly methods: readonly Method[]
  readonly served: ServerResources
}

runReportingThread<typeof SERVER>(async ({ data: config, log, metrics, connect }) => {
  boundGarbage(systemClock)
  let http: RunningServer | null = null
  let websocket: RunningServer | null = null
  let served: ServerResources | undefined
  let inProcess: Dispatcher | undefined
  const connections = new InProcessConnections()
  const main: MainChannel = connect({
    requests: {
      addresses: () => ({
        http: addressOf(config.http, http),
        websocket: addressOf(config.websocket, websocket),
      }),
      connectEngine: ({ name, port }) => {
        served?.engines?.connect(name, port)
        return null
      },
      announce: (head) => {
        served?.announce(head)
        return null
      },
      call: (call, context) => callInProcess(inProcess, connections, call, context),
    },
    streams: { connection: ({ id }, { signal }) => connections.open(id, signal) },
  })
  // Heard before the state is asked for, so that nothing is missed between the two.
  main.onNews('headMoved', (head) => served?.announce(head))
  served = await openServerResources(config, main, { clock: systemClock, log: log.child('rpc'), metrics })
  served.announce(await served.own.heads.last())
  const building: Building = {
    config,
    log,
    metrics,
    dispatchMetrics: createDispatchMetrics(metrics),
    authMetrics: createAuthMetrics(metrics),
    passwords: await startPasswords(config, log),
    methods: [...(await loadMethods(config.methodModules)), ...config.pluginMethods.map(pluginMethod)],
    served,
  }
  if (config.takesInProcess) inProcess = buildDispatcher(building, { apis: apisOfMethods(building.methods) })
  http = await buildHttp(building)
  websocket = await buildWebSocket(building)
  return {
    async stop() {
      const drained = AbortSignal.timeout(DRAIN_MS)
      await Promise.all([http?.stop(drained), websocket?.stop(drained), building.passwords?.stop(DRAIN_MS)])
      served?.subscriptions.end()
      await served?.reader.close()
    },
  }
})

async function startPasswords(config: ServerConfig, log: Log): Promise<BcryptThread | null> {
  const needed = [config.http, config.websocket].some((each) => each?.authentication.mode === 'credentials')
  return needed ? await startBcryptThread({ clock: systemClock, log: log.child('auth') }) : null
}

/** The program that the node is part of may do all that its APIs offer. */
async function callInProcess(
  dispatcher: Dispatcher | undefined,
  connections: InProcessConnections,
  { message, connection }: InProcessCall,
  context: HandlerContext,
): Promise<InProcessAnswer> {
  assert(dispatcher !== undefined, 'Requests over the channel come only where the configuration says so.')
  const notifier = connection === undefined ? undefined : connections.get(connection)
  let isHeld = false
  const answer = await dispatcher.dispatch(Buffer.from(message), {
    transport: 'http',
    caller: { mayCall: () => true },
    get connection() {
      if (!isHeld) notifier?.hold()
      isHeld = true
      return notifier
    },
    get signal() {
      return context.signal
    },
    requestId: 'in-process',
  })
  // When the answer has gone over the channel, and no sooner.
  if (isHeld && notifier !== undefined) void nextTurn().then(() => notifier.release())
  return { text: await textOf(answer), lacksConnection: isHeld && notifier === undefined }
}

async function textOf(answer: Answer): Promise<string> {
  if (answer.kind === 'nothing') return ''
  return typeof answer.body === 'string' ? answer.body : (await Array.fromAsync(answer.body)).join('')
}

async function buildHttp(building: Building): Promise<RunningServer | null> {
  const { config, log, metrics, served } = building
  if (config.http === null) return null
  const { host, port, maxConnections, maxBatchSize, maxBodyBytes, timeoutMs, streamingTimeoutMs } =
    config.http
  const { sharing } = config
  const slots = createConnectionSlots(maxConnections, sharing?.httpConnections, sharing?.server)
  metrics.gaugeOf(ACTIVE_HTTP_CONNECTIONS, () => slots.taken)
  const facts = shareFacts(() => served.own.health.facts(), systemClock)
  return startHttpServer({
    ...common(building, config.http),
    host,
    port,
    reusePort: sharing !== null,
    slots,
    dispatcher: buildDispatcher(building, { apis: config.http.apis, staysConnected: false }, maxBatchSize),
    limits: { bodyMaxBytes: maxBodyBytes, timeoutMs, streamingTimeoutMs },
    heights: { height: () => served.reader.announced().number, onMoved: served.heads.onMoved },
    health: (signal) => unlessAborted(facts(), signal),
    log: log.child('http'),
  })
}

async function buildWebSocket(building: Building): Promise<RunningServer | null> {
  const { config, log, metrics, served } = building
  if (config.websocket === null) return null
  const { callLimits } = served
  const { host, port, maxConnections, maxFrameBytes, timeoutMs } = config.websocket
  const { sharing } = config
  const slots = createConnectionSlots(maxConnections, sharing?.websocketConnections, sharing?.server)
  metrics.gaugeOf(ACTIVE_WS_CONNECTIONS, () => slots.taken)
  return startWebSocketServer({
    ...common(building, config.websocket),
    host,
    port,
    reusePort: sharing !== null,
    slots,
    dispatcher: buildDispatcher(building, { apis: config.websocket.apis, always: ALWAYS_OVER_WEBSOCKET }),
    limits: { frameMaxBytes: maxFrameBytes, timeoutMs },
    onNotified: callLimits && ((who) => callLimits.chargeNotification(who)),
    log: log.child('websocket'),
  })
}

function common(building: Building, transport: TransportConfig) {
  const { hostAllowlist } = building.config
  const authenticator = buildAuthenticator(building, transport)
  const tls = transport.tls && withSecrets(transport.tls)
  const { corsOrigins } = transport
  return { clock: systemClock, hostAllowlist, corsOrigins, authenticator, ...(tls && { tls }) }
}

function buildDispatcher(
  building: Building,
  registry: Omit<RegistryOptions, 'methods'>,
  maxBatchSize = 0,
): Dispatcher {
  const { config, log, dispatchMetrics, methods, served } = building
  return createDispatcher({
    registry: createRegistry({ methods, ...registry }),
    resources: served.resources,
    remoteEngine: served.engines,
    brief: served.brief,
    callLimits: served.callLimits,
    limits: { maxBatchSize },
    prettyPrint: config.prettyPrint,
    metrics: dispatchMetrics,
    log: log.child('rpc'),
    clock: systemClock,
  })
}

function buildAuthenticator(
  { log, passwords, served, authMetrics }: Building,
  { authentication }: TransportConfig,
): Authenticator {
  if (authentication.mode === 'off') return createAuthenticator({ mode: 'off' })
  const common = {
    noAuthMethods: new Set(authentication.noAuthMethods),
    clock: systemClock,
    log: log.child('auth'),
    metrics: authMetrics,
  }
  if (authentication.mode === 'publicKey') {
    const { file, algorithm } = authentication
    return createAuthenticator({ ...common, mode: 'publicKey', publicKeyFile: file, algorithm })
  }
  return createAuthenticator({
    ...common,
    mode: 'credentials',
    credentialsFile: authentication.file,
    tokenKey: new Secret(authentication.tokenKeyPem),
    admitLogin: (remoteAddress) => served.own.logins.admit(remoteAddress),
    passwords: passwords!,
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
