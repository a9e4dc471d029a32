import type { IncomingMessage, ServerResponse } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import { type Cors, createCors } from '#serve/cors.ts'
import { createHostAllowlist, type HostAllowlist } from '#serve/host-allowlist.ts'
import { BAD_HOST, HOST_REFUSED, type HttpAnswer, rawAnswer, textAnswer } from '#serve/http-answer.ts'
import { openServer, type UpgradeHandler } from '#serve/open-server.ts'
import { Pending } from '#serve/pending.ts'
import { pathOf } from '#serve/request-target.ts'
import { acceptsJson, Compressors, Responder } from '#serve/responder.ts'
import { NodeWire } from '#serve/response-wire.ts'
import type { RunningServer } from '#serve/serve-http.ts'
import { createThrottledWarning } from '#serve/throttled-warning.ts'
import { BodyBudget } from './body-collector.ts'
import { Deadlines } from './deadlines.ts'
import { ANONYMOUS_MAX_BYTES, answerLogin, type RpcServerOptions } from './http.ts'
import { NOT_A_WEBSOCKET, ORIGIN_REFUSED } from './http-answers.ts'
import { Unpackers } from './read-body.ts'
import { Backlog } from './websocket-backlog.ts'
import type { WebSocketCall } from './websocket-call.ts'
import { type Allowance, WebSocketConnection, type WebSocketService } from './websocket-connection.ts'

/** As in Besu, the maximum message size in frames. */
const FRAMES_PER_MESSAGE = 4
/** Large messages of all clients, besides one of maximum size. */
const LARGE_MESSAGES_MAX_BYTES = 12 * 1024 * 1024
/** Per client: beyond it the next call waits. */
const UNDER_WAY_MAX_BYTES = 1024 * 1024
/** Browser clients leave if no protocol of their list is granted. Some request one of the first name. */
const SUBPROTOCOLS = ['undefined', 'cairn-console']
/** A connection without a sign of life for two periods is closed. */
const KEEP_ALIVE_PERIOD_MS = 30_000

/*
 * As in Besu, compression is accepted, but it keeps no memory between messages (ws would keep about 300 KiB per
 * connection), handles two messages at a time, since it uses the thread pool that the database shares, and skips short
 * messages. The message limit applies to unpacked bytes.
 */
const COMPRESSION = {
  serverNoContextTakeover: true,
  clientNoContextTakeover: true,
  concurrencyLimit: 2,
  threshold: 4 * 1024,
  zlibDeflateOptions: { level: 4, memLevel: 7 },
}
/* Against messages in millions of tiny parts, each of which costs more than its bytes. */
const FRAGMENTS_MAX = 4_096
const BUFFERED_CHUNKS_MAX = 16_384

export interface WebSocketServerOptions extends RpcServerOptions {
  readonly limits: { readonly frameMaxBytes: number; readonly timeoutMs: number }
  readonly onNotified?: WebSocketService['onNotified']
}

/** JSON-RPC over WebSocket on any path, with POST /login. Resolves when it listens. */
export async function startWebSocketServer(options: WebSocketServerOptions): Promise<RunningServer> {
  const gates: Gates = {
    hosts: createHostAllowlist(options.hostAllowlist),
    cors: createCors(options.corsOrigins),
  }
  const opened = openServer(options, true)
  const handshakes = createHandshakes(options)
  const http = createHttpSide(options, gates)

  opened.onUpgrade(handshakes.upgrade)
  opened.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = opened.connections.admit(request.socket)
    if (connection === null) return
    // Only password guessers pipeline logins.
    if (connection.isBusy) {
      request.socket.destroy()
      return
    }
    connection.isBusy = true
    response.on('close', () => {
      connection.isBusy = false
    })
    http(request, response)
  })

  const address = { ...options, hostOption: '--rpc-ws-host', portOption: '--rpc-ws-port' }
  const bound = await opened.listen(address)
  return {
    port: bound,
    async stop(signal) {
      opened.stopAccepting()
      await handshakes.stop(signal)
      await opened.destroy()
    },
  }
}

export interface Handshakes {
  readonly upgrade: UpgradeHandler
  /** Closes the connections when their running calls are answered. */
  stop(signal: AbortSignal): Promise<void>
}

/** The connections of such a server, for any listener. */
export function createHandshakes(options: Omit<WebSocketServerOptions, 'host' | 'port'>): Handshakes {
  const gates: Gates = {
    hosts: createHostAllowlist(options.hostAllowlist),
    cors: createCors(options.corsOrigins),
  }
  const clients: Clients = { open: new Set(), pending: new Pending() }
  const askForLife = (): void => {
    for (const connection of clients.open) connection.keepAlive()
  }
  const keepAlive = options.clock.every(KEEP_ALIVE_PERIOD_MS, askForLife, { unref: true })
  return {
    upgrade: createUpgradeSide(options, gates, clients),
    async stop(signal) {
      keepAlive.cancel()
      for (const connection of clients.open) connection.close()
      await clients.pending.drain(signal)
    },
  }
}

interface Gates {
  readonly hosts: HostAllowlist
  readonly cors: Cors
}

interface Clients {
  readonly open: Set<WebSocketConnection>
  readonly pending: Pending
}

/** Handshakes: host and origin are checked here, the token with every message. */
function createUpgradeSide(
  options: Omit<WebSocketServerOptions, 'host' | 'port'>,
  gates: Gates,
  { open, pending }: Clients,
): UpgradeHandler {
  const { authenticator, limits, clock, log } = options
  const standings = createStandings(limits.frameMaxBytes)
  const service: WebSocketService = {
    ...options,
    deadlines: new Deadlines<WebSocketCall>(clock, limits.timeoutMs),
    timeoutMs: limits.timeoutMs,
    warnSlowReader: createThrottledWarning(log, clock, JSONRPC_PROBLEMS.slowReader),
    backlog: new Backlog(),
  }
  // Not in the scope of the request, which the listener would keep in memory as long as the connection.
  const admit = (connection: WebSocketConnection, webSocket: WebSocket): void => {
    open.add(connection)
    pending.add()
    webSocket.on('close', () => {
      open.delete(connection)
      pending.remove()
    })
    if (pending.isDraining) connection.close()
  }
  return (request, socket, head) => {
    const refusal = passGates(gates, request, HANDSHAKE_REFUSED)
    if (refusal !== null) {
      socket.on('error', () => socket.destroy())
      socket.end(rawAnswer(refusal))
      request.socket.destroySoon()
      return
    }
    // The token comes with the handshake.
    const { isAnonymous } = authenticator.identify(request.headers.authorization)
    const { sockets, ...allowance } = isAnonymous ? standings.anonymous : standings.known
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      admit(new WebSocketConnection(service, webSocket, request, allowance), webSocket)
    })
  }
}

/** Returns null if the request may proceed. */
function passGates({ hosts, cors }: Gates, request: IncomingMessage, onHost: HttpAnswer): HttpAnswer | null {
  const { host, origin } = request.headers
  const verdict = hosts.judge(host, request.httpVersion)
  if (verdict !== 'allowed') return verdict === 'refused' ? onHost : BAD_HOST
  return origin === undefined || cors.allows(origin) ? null : ORIGIN_REFUSED
}

const HANDSHAKE_REFUSED = textAnswer(403, 'Forbidden')

interface Standing extends Allowance {
  readonly sockets: WebSocketServer
}

function createStandings(frameMaxBytes: number): Readonly<Record<'known' | 'anonymous', Standing>> {
  const messageMaxBytes = frameMaxBytes * FRAMES_PER_MESSAGE
  const anonymousMaxBytes = Math.min(messageMaxBytes, ANONYMOUS_MAX_BYTES)
  return {
    known: {
      sockets: createSocketServer(messageMaxBytes, COMPRESSION),
      frameMaxBytes,
      underWayMaxBytes: UNDER_WAY_MAX_BYTES,
      budget: new BodyBudget(messageMaxBytes, LARGE_MESSAGES_MAX_BYTES),
    },
    anonymous: {
      sockets: createSocketServer(anonymousMaxBytes, false),
      frameMaxBytes,
      underWayMaxBytes: anonymousMaxBytes,
      budget: new BodyBudget(anonymousMaxBytes),
    },
  }
}

function createSocketServer(
  maxPayload: number,
  perMessageDeflate: typeof COMPRESSION | false,
): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload,
    // The connection answers pings itself, because ws keeps any number of answers for a client that does not read.
    autoPong: false,
    maxFragments: FRAGMENTS_MAX,
    maxBufferedChunks: BUFFERED_CHUNKS_MAX,
    perMessageDeflate,
    handleProtocols: (protocols) => SUBPROTOCOLS.find((name) => protocols.has(name)) ?? false,
  })
}

/** Plain HTTP on this port: POST /login, and a refusal for everything else. */
function createHttpSide({ authenticator, log }: WebSocketServerOptions, gates: Gates) {
  const compressors = new Compressors()
  const login = { authenticator, log, unpackers: new Unpackers() }
  return (request: IncomingMessage, response: ServerResponse): void => {
    const responder = new Responder(request, new NodeWire(response), compressors)
    const { accept, origin } = request.headers
    const refusal = passGates(gates, request, HOST_REFUSED)
    if (refusal === null && origin !== undefined) responder.admitOrigin(origin)
    const isLogin = request.method === 'POST' && pathOf(request.url ?? '/') === '/login'
    if (refusal !== null) responder.send(refusal)
    else if (isLogin && acceptsJson(accept)) answerLogin(login, request, responder)
    else responder.send(NOT_A_WEBSOCKET)
  }
}
