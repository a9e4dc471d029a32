/**
 * The room `serve` handles everything between a socket and a request: listening, TLS, limits, turns, and the answer on
 * the wire. It knows nothing of the content: JSON-RPC, metrics and health are handlers. `rpc` and `node` call it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpConnection } from './connections.ts'
import { createHostAllowlist, type HostVerdict } from './host-allowlist.ts'
import { BAD_HOST, HOST_REFUSED, type HttpAnswer } from './http-answer.ts'
import type { ListenAddress } from './listen.ts'
import {
  CHECK_INTERVAL_MS,
  HEADERS_TIMEOUT_MS,
  KEEP_ALIVE_TIMEOUT_MS,
  type OpenServer,
  openServer,
  type ServerSettings,
  SILENCE_AFTER_CALL_MS,
  type UpgradeHandler,
} from './open-server.ts'
import { Pending } from './pending.ts'
import { PlainConnections } from './plain-connections.ts'
import type { PlainRequest } from './plain-request.ts'
import { RequestTurns } from './request-turns.ts'
import { Compressors, Responder } from './responder.ts'
import { NodeWire, type ResponseWire } from './response-wire.ts'

/**
 * Answers one request, now or later. The returned exchange is notified when the answer was sent, or when the client has
 * left.
 */
export type HttpHandler = (request: HttpRequest, responder: Responder) => HttpExchange | null

/** Short requests come in one piece, all others as a stream. */
export type HttpRequest = IncomingMessage | PlainRequest

export interface HttpSettings extends ServerSettings {
  /** Host names; `*` allows every host. */
  readonly hostAllowlist: readonly string[]
  /** Takes WebSocket handshakes; without it they are ordinary requests. It checks the host itself. */
  readonly upgrade?: UpgradeHandler
  readonly foreignHost?: Readonly<Record<Exclude<HostVerdict, 'allowed'>, HttpAnswer>>
}

const FOREIGN_HOST = { refused: HOST_REFUSED, malformed: BAD_HOST }

export interface HttpExchange {
  onClosed(isComplete: boolean): void
}

export interface RunningServer {
  readonly port: number
  /** Accepts nothing more and answers pending requests; those left when the signal aborts are cut off. */
  stop(signal: AbortSignal): Promise<void>
}

/** A stop waits this long for the rest of a request body, which a client may send slowly or never. */
const BODY_GRACE_MS = 500

/**
 * Starts an HTTP server with limits on connections and time, optional TLS and a host allowlist. It handles the requests
 * of a connection one after the other. Resolves when it listens.
 */
export async function serveHttp(
  settings: HttpSettings,
  address: ListenAddress,
  handle: HttpHandler,
): Promise<RunningServer> {
  const opened = openServer(settings, settings.upgrade !== undefined)
  if (settings.upgrade !== undefined) opened.onUpgrade(settings.upgrade)
  const pending = new Pending()
  const received = new Set<IncomingMessage>()
  const turns = new RequestTurns(settings.clock)
  const compressors = new Compressors()
  const hosts = createHostAllowlist(settings.hostAllowlist)
  const { foreignHost = FOREIGN_HOST } = settings
  const answer = (request: HttpRequest, wire: ResponseWire): void => {
    pending.add()
    const responder = new Responder(request, wire, compressors)
    if (pending.isDraining) responder.closeAfterwards()
    const host = hosts.judge(request.headers.host, request.httpVersion)
    const exchange = host === 'allowed' ? handle(request, responder) : null
    if (host !== 'allowed') responder.send(foreignHost[host])
    wire.onClosed((isComplete) => {
      pending.remove()
      exchange?.onClosed(isComplete)
    })
  }
  const start = (connection: HttpConnection, request: IncomingMessage, response: ServerResponse): void => {
    received.add(request)
    const wire = new NodeWire(response)
    answer(request, wire)
    wire.onClosed(() => {
      received.delete(request)
      turns.end(connection)
    })
  }
  opened.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = opened.connections.admit(request.socket)
    if (connection === null) return
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers
    const bodyBytes = coding === undefined ? Number(length ?? 0) : undefined
    const isTaken = turns.take(connection, bodyBytes, () => start(connection, request, response))
    if (!isTaken) request.socket.destroy()
  })
  const plain = settings.tls === undefined ? divertPlain(opened, settings, answer) : undefined
  const port = await opened.listen(address)
  return {
    port,
    async stop(signal) {
      opened.stopAccepting()
      plain?.closeIdle()
      const cut = settings.clock.after(BODY_GRACE_MS, () => {
        for (const request of received) if (!request.complete) request.socket.destroy()
      })
      await pending.drain(signal)
      cut.cancel()
      await opened.destroy()
    },
  }
}

/** Answers the usual request without node:http. */
function divertPlain(
  opened: OpenServer,
  { clock, limits }: ServerSettings,
  answer: (request: PlainRequest, wire: ResponseWire) => void,
): PlainConnections {
  const plain = new PlainConnections({
    clock,
    silenceMs: limits.timeoutMs + SILENCE_AFTER_CALL_MS,
    keepAliveMs: KEEP_ALIVE_TIMEOUT_MS,
    firstByteMs: HEADERS_TIMEOUT_MS,
    checkIntervalMs: CHECK_INTERVAL_MS,
    onRequest: (request, wire) => {
      if (opened.connections.admit(request.socket) !== null) answer(request, wire)
    },
    handOver: (socket) => readWithHttp(socket),
    refuseSilent: (socket) => {
      const error = Object.assign(new Error('The client sent nothing.'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
      opened.server.emit('clientError', error, socket)
    },
  })
  const readWithHttp = opened.divert((socket) => plain.add(socket))
  return plain
}
