import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '#rpc/auth/authenticator.ts'
import type { Dispatcher } from '#rpc/call.ts'
import { BodyBudget } from './body-budget.ts'
import { Compressors } from './compress.ts'
import type { Connection } from './connections.ts'
import { createCors } from './cors.ts'
import { Deadlines } from './deadlines.ts'
import type { HealthSource } from './health.ts'
import { createHostAllowlist } from './host-allowlist.ts'
import type { CallLimits, HttpCall } from './http-call.ts'
import { type HttpService, handleRequest } from './http-exchange.ts'
import { openServer, type ServerSettings } from './open-server.ts'
import { Pending } from './pending.ts'

/** A client may send requests ahead of their answers; beyond this it floods. */
const PIPELINED_MAX = 256

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
    budget: new BodyBudget(limits.bodyMaxBytes),
    deadlines: new Deadlines<HttpCall>(clock, limits.timeoutMs),
    compressors: new Compressors(),
  }
  const opened = openServer(options, false)
  const pending = new Pending()
  const start = (connection: Connection, request: IncomingMessage, response: ServerResponse): void => {
    connection.isBusy = true
    pending.add()
    const call = handleRequest(service, request, response, pending.isDraining)
    response.on('close', () => {
      connection.isBusy = false
      pending.remove()
      call?.onClosed(response.writableFinished)
      connection.waiting.shift()?.()
    })
  }
  opened.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = opened.connections.admit(request.socket)
    if (connection === null) return
    // One at a time: a client that pipelines gets its answers in order, and no more of the machine than others.
    if (!connection.isBusy) start(connection, request, response)
    else if (connection.waiting.length < PIPELINED_MAX) {
      connection.waiting.push(() => start(connection, request, response))
    } else request.socket.destroy()
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
