import type { IncomingMessage, Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { answerClientError, HEADERS_MAX_BYTES } from './client-errors.ts'
import type { ConnectionSlots } from './connection-slots.ts'
import { Connections, SILENT_MAX, SILENT_TLS_MAX } from './connections.ts'
import { type ListenAddress, listen } from './listen.ts'
import { createThrottledWarning } from './throttled-warning.ts'
import { serveTls, type TlsSettings } from './tls/tls.ts'

/* An import of this module by name loads the client of Node's `fetch` along, which takes longer than all else here. */
const { createServer } = process.getBuiltinModule('node:http')

/* Time limits against clients that send slowly or not at all. Node checks them every few seconds. */
const HEADERS_TIMEOUT_MS = 15_000
/** For the whole request: 128 MiB over 10 Mbit/s take less than two minutes. */
const REQUEST_TIMEOUT_MS = 120_000
const CHECK_INTERVAL_MS = 5_000
/** Longer than the 60 s of common load balancers, which must be the first to close an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Beyond the time-out of a call: after this nobody reads or writes on the connection any more. */
const SILENCE_AFTER_CALL_MS = 60_000

export interface ServerSettings {
  readonly slots: ConnectionSlots
  readonly tls?: TlsSettings
  readonly limits: { readonly timeoutMs: number }
  readonly clock: Clock
  readonly log: Log
}

export interface OpenServer {
  readonly server: Server
  readonly connections: Connections
  /** Resolves with the port. */
  listen(address: ListenAddress): Promise<number>
  /** No further connections; those that are open go on. */
  stopAccepting(): void
  /** Ends every connection at once and resolves when the port is free. */
  destroy(): Promise<void>
}

/**
 * A node:http server with the limits that HTTP and WebSocket share; it does not listen yet. `upgrades`: emits
 * 'upgrade' for WebSocket handshakes, which are ordinary requests otherwise.
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
    // Besu answers a missing Host in its own words.
    requireHostHeader: false,
    noDelay: true,
    shouldUpgradeCallback: (request: IncomingMessage) => upgrades && isWebSocketRequest(request),
  }
  const onRefused = createThrottledWarning(log, clock, 'A connection over the limit was closed.')
  const onNotAccepted = createThrottledWarning(log, clock, 'A connection could not be accepted.')
  const connections = new Connections(slots, tls === undefined ? SILENT_MAX : SILENT_TLS_MAX, onRefused)
  const secured = tls === undefined ? undefined : serveTls(tls, clock, log)
  const server =
    secured === undefined ? createServer(options) : createTlsServer({ ...options, ...secured.options })
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

/** Some clients offer HTTP/2 with every request; that does not make them WebSockets. */
function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket'
}
