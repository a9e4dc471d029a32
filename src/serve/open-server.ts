import type { IncomingMessage, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { assert } from '#types/assert.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import { Connections, SILENT_MAX, SILENT_TLS_MAX } from './connections.ts'
import { type ListenAddress, listen } from './listen.ts'
import { SERVE_PROBLEMS } from './log-problems.ts'
import { createThrottledWarning } from './throttled-warning.ts'
import { serveTls, type TlsSettings } from './tls/tls.ts'

/* A named import of this module also loads the client of Node's `fetch`, which takes longer than the rest. */
const { createServer } = process.getBuiltinModule('node:http')

/** Larger than Besu's 8 KiB, because tokens with many grants are sent in a header. */
const HEADERS_MAX_BYTES = 16 * 1024
/* Time limits for clients that send slowly or not at all. Node checks them every few seconds. */
export const HEADERS_TIMEOUT_MS = 15_000
/** The limit for a complete request: 128 MiB over 10 Mbit/s take less than two minutes. */
const REQUEST_TIMEOUT_MS = 120_000
export const CHECK_INTERVAL_MS = 5_000
/** Longer than the 60 s of common load balancers, which must be the first to close an idle connection. */
export const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Added to the timeout of a call. A connection without traffic for longer is dead. */
export const SILENCE_AFTER_CALL_MS = 60_000

export interface ServerSettings {
  readonly slots: ConnectionSlots
  readonly tls?: TlsSettings
  readonly limits: { readonly timeoutMs: number }
  readonly clock: Clock
  readonly log: Log
}

/** Takes over the socket of a handshake. */
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

export interface OpenServer {
  readonly server: Server
  readonly connections: Connections
  /** Gives new connections to `take` in place of node:http, which reads those that `handOver` gets. */
  divert(take: (socket: Socket) => void): (socket: Socket) => void
  /** Only for a server with upgrades. */
  onUpgrade(upgrade: UpgradeHandler): void
  listen(address: ListenAddress): Promise<number>
  /** Refuses new connections; open ones continue. */
  stopAccepting(): void
  /** Closes every connection at once and resolves when the port is free. */
  destroy(): Promise<void>
}

/**
 * Creates a node:http server with the limits that HTTP and WebSocket share; it does not listen yet. If `upgrades` is
 * true, WebSocket handshakes emit 'upgrade'; otherwise they are ordinary requests.
 */
export function openServer(
  { slots, tls, limits, clock, log }: ServerSettings,
  upgrades: boolean,
): OpenServer {
  const options = {
    maxHeaderSize: HEADERS_MAX_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // Besu has its own answer to a missing Host.
    requireHostHeader: false,
    noDelay: true,
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades && isWebSocketRequest(request),
  }
  const onRefused = createThrottledWarning(log, clock, SERVE_PROBLEMS.connectionOverLimit)
  const onNotAccepted = createThrottledWarning(log, clock, SERVE_PROBLEMS.connectionNotAccepted)
  const connections = new Connections(slots, tls === undefined ? SILENT_MAX : SILENT_TLS_MAX, onRefused)
  const secured = tls === undefined ? undefined : serveTls(tls, clock, log)
  const server =
    secured === undefined ? createServer(options) : createTlsServer({ ...options, ...secured.options })
  // The only listener so far is that of node:http.
  const [readWithHttp] = server.listeners('connection') as ((socket: Socket) => void)[]
  secured?.attach(server as ReturnType<typeof createTlsServer>)
  server.setTimeout(limits.timeoutMs + SILENCE_AFTER_CALL_MS)
  server.on('connection', (socket: Socket) => connections.add(socket))
  server.on('clientError', (error, socket) => {
    const isAnswering = connections.get(socket as Socket)?.isBusy === true
    answerClientError(error, socket as Socket, isAnswering)
  })
  const closed = Promise.withResolvers<void>()
  let isClosing = false
  const stopAccepting = (): void => {
    if (isClosing) return
    isClosing = true
    secured?.stop()
    server.close(() => closed.resolve())
  }
  return {
    server,
    connections,
    divert(take) {
      assert(readWithHttp !== undefined && secured === undefined, 'node:http reads plain connections')
      server.off('connection', readWithHttp)
      server.on('connection', take)
      return (socket) => readWithHttp.call(server, socket)
    },
    onUpgrade(upgrade) {
      server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        if (connections.admit(request.socket) !== null) upgrade(request, socket, head)
      })
    },
    async listen(address) {
      try {
        return await listen(server, address, (error) => onNotAccepted({ err: error }))
      } catch (error) {
        secured?.stop()
        throw error
      }
    },
    stopAccepting,
    destroy() {
      stopAccepting()
      connections.destroyAll()
      return closed.promise
    },
  }
}

/** Some clients offer HTTP/2 with every request, which is not a WebSocket handshake. */
function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}

interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

/** Answers malformed HTTP with a status line and closes the connection. A client that has left gets no answer. */
function answerClientError(error: ParserError, socket: Socket, isAnswering: boolean): void {
  // After a partial answer, a second one would be read as part of it.
  if (isAnswering || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  socket.end(`HTTP/1.1 ${statusLineFor(error)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  // A half-open connection would stay as long as the client likes.
  socket.destroySoon()
}

function statusLineFor(error: ParserError): string {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return isInRequestLine(error.rawPacket)
        ? '414 Request-URI Too Long'
        : '431 Request Header Fields Too Large'
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return '408 Request Timeout'
    case 'HPE_INVALID_VERSION':
      return '501 Not Implemented'
    default:
      return '400 Bad Request'
  }
}

/** The parser reports the same overflow for both. A request line without an end is a URI that is too long. */
function isInRequestLine(packet: Buffer | undefined): boolean {
  if (packet === undefined) return false
  const isStart = /^[A-Z]{1,20} /.test(packet.toString('latin1', 0, 24))
  return isStart && !packet.subarray(0, HEADERS_MAX_BYTES).includes('\r\n')
}
