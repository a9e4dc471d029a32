import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '#rpc/auth/authenticator.ts'
import type { Dispatcher } from '#rpc/call.ts'
import { Compressors } from './compress.ts'
import type { Connection } from './connections.ts'
import { createCors } from './cors.ts'
import { Deadlines } from './deadlines.ts'
import type { HealthSource } from './health.ts'
import { createHostAllowlist } from './host-allowlist.ts'
import type { CallLimits, HttpCall } from './http-call.ts'
import { createBodyAllowances, type HttpService, handleRequest } from './http-exchange.ts'
import { openServer, type ServerSettings } from './open-server.ts'
import { Pending } from './pending.ts'
import { Turns } from './turns.ts'
import { Unpackers } from './unpackers.ts'

export interface HttpServerOptions extends ServerSettings {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly reusePort?: boolean
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  /** Host names; `*` for every host. */
  readonly hostAllowlist: readonly string[]
  /** Regular expressions; `*` for every origin. */
  readonly corsOrigins: readonly string[]
  readonly limits: CallLimits
  readonly health: HealthSource
}

export interface RunningServer {
  readonly port: number
  /** Accepts nothing more and answers what is under way; what is left when the signal aborts is cut off. */
  stop(signal: AbortSignal): Promise<void>
}

/** JSON-RPC over HTTP, with /login, /liveness and /readiness. Resolves when it listens. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const { clock, host, port, limits } = options
  const service: HttpService = {
    dispatcher: options.dispatcher,
    authenticator: options.authenticator,
    health: options.health,
    limits,
    clock,
    log: options.log,
    hosts: createHostAllowlist(options.hostAllowlist),
    cors: createCors(options.corsOrigins),
    allowances: createBodyAllowances(limits.bodyMaxBytes),
    unpackers: new Unpackers(),
    deadlines: new Deadlines<HttpCall>(clock, limits.timeoutMs),
    compressors: new Compressors(),
  }
  const opened = openServer(options, false)
  const pending = new Pending()
  const turns = new Turns(clock)
  const start = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    pending.add()
    const call = handleRequest(service, request, response, pending.isDraining)
    response.on('close', () => {
      pending.remove()
      call?.onClosed(response.writableFinished)
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
  const bound = await opened.listen({
    host,
    port,
    hostOption: '--rpc-http-host',
    portOption: '--rpc-http-port',
    ...(options.reusePort !== undefined && { reusePort: options.reusePort }),
  })
  return {
    port: bound,
    async stop(signal) {
      opened.stopAccepting()
      await pending.drain(signal)
      await opened.destroy()
    },
  }
}
