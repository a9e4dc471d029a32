/**
 * The room `serve` owns what stands between a socket and a request: listening, TLS, limits, turns, and the answer on the
 * wire. It does not own what is asked or answered: JSON-RPC, metrics and health are handlers. `rpc` and `node` call it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Compressors } from './compress.ts'
import type { HttpConnection } from './connections.ts'
import { createHostAllowlist, type HostVerdict } from './host-allowlist.ts'
import { BAD_HOST, HOST_REFUSED, type HttpAnswer } from './http-answer.ts'
import type { ListenAddress } from './listen.ts'
import { openServer, type ServerSettings } from './open-server.ts'
import { Pending } from './pending.ts'
import { RequestTurns } from './request-turns.ts'
import { Responder } from './responder.ts'

/** Answers one request, now or later. What it returns hears when the answer is out, or the client has left before. */
export type HttpHandler = (request: IncomingMessage, responder: Responder) => HttpExchange | null

export interface HttpSettings extends ServerSettings {
  /** Host names; `*` for every host. */
  readonly hostAllowlist: readonly string[]
  readonly foreignHost?: Readonly<Record<Exclude<HostVerdict, 'allowed'>, HttpAnswer>>
}

const FOREIGN_HOST = { refused: HOST_REFUSED, malformed: BAD_HOST }

export interface HttpExchange {
  onClosed(isComplete: boolean): void
}

export interface RunningServer {
  readonly port: number
  /** Accepts nothing more and answers what is under way; what is left when the signal aborts is cut off. */
  stop(signal: AbortSignal): Promise<void>
}

/** A stop waits this long for the rest of a request body: a client may send it slowly, or never. */
const BODY_GRACE_MS = 500

/**
 * An HTTP server: within its limits of connections and time, with TLS or without, for the hosts it is meant for, the
 * requests of a connection one after the other. What is asked and answered is the handler's. Resolves when it listens.
 */
export async function serveHttp(
  settings: HttpSettings,
  address: ListenAddress,
  handle: HttpHandler,
): Promise<RunningServer> {
  const opened = openServer(settings, false)
  const pending = new Pending()
  const received = new Set<IncomingMessage>()
  const turns = new RequestTurns(settings.clock)
  const compressors = new Compressors()
  const hosts = createHostAllowlist(settings.hostAllowlist)
  const { foreignHost = FOREIGN_HOST } = settings
  const start = (connection: HttpConnection, request: IncomingMessage, response: ServerResponse): void => {
    pending.add()
    received.add(request)
    const responder = new Responder(request, response, compressors)
    if (pending.isDraining) responder.closeAfterwards()
    const host = hosts.judge(request.headers.host, request.httpVersion)
    const exchange = host === 'allowed' ? handle(request, responder) : null
    if (host !== 'allowed') responder.send(foreignHost[host])
    response.on('close', () => {
      pending.remove()
      received.delete(request)
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
      const cut = settings.clock.after(BODY_GRACE_MS, () => {
        for (const request of received) if (!request.complete) request.socket.destroy()
      })
      await pending.drain(signal)
      cut.cancel()
      await opened.destroy()
    },
  }
}
