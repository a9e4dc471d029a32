import type { Authenticator } from '#rpc/auth/authenticator.ts'
import type { Dispatcher } from '#rpc/dispatch/dispatcher.ts'
import { createCors } from '#serve/cors.ts'
import type { HealthSource } from '#serve/health.ts'
import { type HttpSettings, type RunningServer, serveHttp } from '#serve/serve-http.ts'
import { Deadlines } from './deadlines.ts'
import { HeightGate, type HeightSource } from './height-gate.ts'
import type { CallLimits, HttpCall } from './http-call.ts'
import { createBodyAllowances, type HttpService, handleRequest } from './http-exchange.ts'
import { Unpackers } from './unpackers.ts'

export interface HttpServerOptions extends Omit<HttpSettings, 'foreignHost'> {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly reusePort?: boolean
  readonly dispatcher: Dispatcher
  readonly heights: HeightSource
  readonly authenticator: Authenticator
  /** Regular expressions; `*` for every origin. */
  readonly corsOrigins: readonly string[]
  readonly limits: CallLimits
  readonly health: HealthSource
}

/** JSON-RPC over HTTP, with /login, /liveness and /readiness. Resolves when it listens. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const { clock, host, port, limits } = options
  const service: HttpService = {
    dispatcher: options.dispatcher,
    heights: new HeightGate(options.heights, clock),
    authenticator: options.authenticator,
    health: options.health,
    limits,
    clock,
    log: options.log,
    cors: createCors(options.corsOrigins),
    allowances: createBodyAllowances(limits.bodyMaxBytes),
    unpackers: new Unpackers(),
    deadlines: new Deadlines<HttpCall>(clock, limits.timeoutMs),
  }
  const address = {
    host,
    port,
    hostOption: '--rpc-http-host',
    portOption: '--rpc-http-port',
    ...(options.reusePort !== undefined && { reusePort: options.reusePort }),
  }
  return await serveHttp(options, address, (request, responder) => handleRequest(service, request, responder))
}
