/**
 * The room `serve` owns what stands between a socket and a request: listening, TLS, limits, turns, and the answer on the
 * wire. It does not own what is asked or answered: JSON-RPC, metrics and health are handlers. `rpc` and `node` call it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpConnection } from './connections.ts'
import type { ListenAddress } from './listen.ts'
import { openServer, type ServerSettings } from './open-server.ts'
import { Pending } from './pending.ts'
import { RequestTurns } from './request-turns.ts'

/** Answers one request, now or later. What it returns hears when the answer is out, or the client has left before. */
export type HttpHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  /** The server stops: this is the last answer of its connection. */
  isStopping: boolean,
) => HttpExchange | null

export interface HttpExchange {
  onClosed(isComplete: boolean): void
}

export interface RunningServer {
  readonly port: number
  /** Accepts nothing more and answers what is under way; what is left when the signal aborts is cut off. */
  stop(signal: AbortSignal): Promise<void>
}

/**
 * An HTTP server: within its limits of connections and time, with TLS or without, the requests of a connection one after
 * the other. What is asked and answered is the handler's. Resolves when it listens.
 */
export async function serveHttp(
  settings: ServerSettings,
  address: ListenAddress,
  handle: HttpHandler,
): Promise<RunningServer> {
  const opened = openServer(settings, false)
  const pending = new Pending()
  const turns = new RequestTurns(settings.clock)
  const start = (connection: HttpConnection, request: IncomingMessage, response: ServerResponse): void => {
    pending.add()
    const exchange = handle(request, response, pending.isDraining)
    response.on('close', () => {
      pending.remove()
      exchange?.onClosed(response.writableFinished)
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
  const port = await opened.listen(address)
  return {
    port,
    async stop(signal) {
      opened.stopAccepting()
      await pending.drain(signal)
      await opened.destroy()
    },
  }
}
