import type { Authenticator } from '#jsonrpc/auth/create-authenticator.ts'
import type { Dispatcher } from '#jsonrpc/dispatcher.ts'
import { JSONRPC_PROBLEMS } from '#jsonrpc/log-problems.ts'
import { addressOf } from '#serve/connections.ts'
import { type Cors, createCors } from '#serve/cors.ts'
import { type HealthAnswer, type HealthSource, LIVENESS, readiness } from '#serve/health.ts'
import { type HttpAnswer, INTERNAL_ERROR } from '#serve/http-answer.ts'
import { PlainRequest } from '#serve/plain-request.ts'
import { pathOf } from '#serve/request-target.ts'
import { acceptsJson, acceptsText, type Responder } from '#serve/responder.ts'
import {
  type HttpHandler,
  type HttpRequest,
  type HttpSettings,
  type RunningServer,
  serveHttp,
} from '#serve/serve-http.ts'
import { BodyBudget, BodyCollector, type BodyRefusal } from './body-collector.ts'
import { Deadlines } from './deadlines.ts'
import { HeightGate, type HeightSource, MIN_HEIGHT_HEADER, readHeight } from './height-gate.ts'
import {
  BODY_REFUSED,
  BODY_TOO_LARGE,
  GREETING,
  HEIGHT_MALFORMED,
  NOT_ACCEPTABLE,
  NOT_FOUND,
  ORIGIN_REFUSED,
  preflightAllowed,
  READABLE_GREETING,
  UNAUTHORIZED,
  wrongMethod,
} from './http-answers.ts'
import { type BodyAllowance, type CallLimits, type CallService, HttpCall } from './http-call.ts'
import { discardBody, readBody, Unpackers } from './read-body.ts'

/** The options of a server over either transport. */
export interface RpcServerOptions extends Omit<HttpSettings, 'foreignHost'> {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly reusePort?: boolean
  readonly dispatcher: Dispatcher
  readonly authenticator: Authenticator
  /** Regular expressions; `*` for every origin. Browsers let any page open a WebSocket, so it checks them too. */
  readonly corsOrigins: readonly string[]
}

export interface HttpServerOptions extends RpcServerOptions {
  readonly heights: HeightSource
  readonly limits: CallLimits
  readonly health: HealthSource
}

/** JSON-RPC over HTTP, with /login, /liveness and /readiness. Resolves when it listens. */
export async function startHttpServer(options: HttpServerOptions): Promise<RunningServer> {
  const address = { ...options, hostOption: '--rpc-http-host', portOption: '--rpc-http-port' }
  return await serveHttp(options, address, createHttpHandler(options))
}

/** The requests of such a server, for any listener. */
export function createHttpHandler(options: Omit<HttpServerOptions, 'host' | 'port'>): HttpHandler {
  const { clock, limits } = options
  const service: HttpService = {
    ...options,
    heights: new HeightGate(options.heights, clock),
    cors: createCors(options.corsOrigins),
    allowances: createBodyAllowances(limits.bodyMaxBytes),
    unpackers: new Unpackers(),
    deadlines: new Deadlines<HttpCall>(clock, limits.timeoutMs),
  }
  return (request, responder) => handleRequest(service, request, responder)
}

/** Credentials are short, and a client without a token gets no more memory. */
export const LOGIN_BODY_MAX_BYTES = 64 * 1024

/** Callers without a valid token may call little, and the largest transaction fits. */
export const ANONYMOUS_MAX_BYTES = 512 * 1024

export interface HttpService extends CallService {
  readonly allowances: BodyAllowances
  readonly authenticator: Authenticator
  readonly cors: Cors
  readonly health: HealthSource
}

/** Chosen before a body is read, so a header that only looks like a token cannot use up shared memory. */
export interface BodyAllowances {
  readonly known: BodyAllowance
  readonly anonymous: BodyAllowance
}

export function createBodyAllowances(bodyMaxBytes: number): BodyAllowances {
  const anonymousMaxBytes = Math.min(bodyMaxBytes, ANONYMOUS_MAX_BYTES)
  return {
    known: { maxBytes: bodyMaxBytes, budget: new BodyBudget(bodyMaxBytes) },
    anonymous: { maxBytes: anonymousMaxBytes, budget: new BodyBudget(anonymousMaxBytes) },
  }
}

/** Takes a request through Besu's gates in order: origin, size, route, token. Returns the call if there is one. */
export function handleRequest(
  service: HttpService,
  request: HttpRequest,
  responder: Responder,
): HttpCall | null {
  const refusal = passGates(service, request, responder)
  const route = refusal === null ? findRoute(request.method ?? '', request.url ?? '/') : null
  let call: HttpCall | null = null
  if (route?.kind === 'call') call = startCall(service, request, responder)
  else if (route !== null) answerRoute(service, request, responder, route)
  else if (refusal !== null) responder.send(refusal)
  const isRead = request instanceof PlainRequest || request.readableFlowing !== null
  if (!isRead) discardBody(request)
  return call
}

/** Returns null if the request may proceed. */
function passGates(service: HttpService, request: HttpRequest, responder: Responder): HttpAnswer | null {
  const { headers } = request
  const { origin } = headers
  if (origin !== undefined) {
    if (!service.cors.allows(origin)) return ORIGIN_REFUSED
    const isPreflight = headers['access-control-request-method'] !== undefined
    if (request.method === 'OPTIONS' && isPreflight) return preflightAllowed(origin)
  }
  responder.admitOrigin(origin)
  return announcedBytes(request) > service.limits.bodyMaxBytes ? BODY_TOO_LARGE : null
}

function announcedBytes({ headers }: HttpRequest): number {
  return Number(headers['content-length'] ?? 0)
}

function startCall(service: HttpService, request: HttpRequest, responder: Responder): HttpCall | null {
  const { accept, authorization } = request.headers
  if (!acceptsJson(accept)) {
    responder.send(NOT_ACCEPTABLE)
    return null
  }
  const { authenticator, allowances } = service
  const caller = authenticator.identify(authorization)
  const allowance = caller.isAnonymous ? allowances.anonymous : allowances.known
  const leastHeight = leastHeightOf(request)
  const call = new HttpCall(service, request, responder, caller, allowance, leastHeight ?? 0)
  // For known callers the gates have checked the size.
  if (authenticator.refusesUnread(authorization) || announcedBytes(request) > allowance.maxBytes) {
    caller.noteRefusal?.({ requestId: call.requestId })
    responder.send(UNAUTHORIZED)
    return null
  }
  if (leastHeight === undefined) {
    responder.send(HEIGHT_MALFORMED)
    return null
  }
  call.start()
  return call
}

/** 0 if the header is absent, undefined if it is not a height. */
function leastHeightOf({ headers }: HttpRequest): number | undefined {
  const text = headers[MIN_HEIGHT_HEADER]
  // A list if the header was sent twice.
  return text === undefined ? 0 : readHeight(String(text))
}

function answerRoute(service: HttpService, request: HttpRequest, responder: Responder, route: Route): void {
  const { url = '/', method = '' } = request
  switch (route.kind) {
    case 'greeting':
      responder.send(acceptsText(request.headers.accept) ? READABLE_GREETING : GREETING)
      break
    case 'login':
      if (acceptsJson(request.headers.accept)) answerLogin(service, request, responder)
      else responder.send(NOT_ACCEPTABLE)
      break
    case 'liveness':
      sendHealth(responder, LIVENESS)
      break
    case 'readiness':
      void readiness(url, service.health, service.clock).then((answer) => sendHealth(responder, answer))
      break
    case 'wrong-method':
      responder.send(wrongMethod(method, route.allow))
      break
    default:
      responder.send(NOT_FOUND)
  }
}

function sendHealth(responder: Responder, { isUp, body }: HealthAnswer): void {
  const [status, reason] = isUp ? [200, 'OK'] : [503, 'Service Unavailable']
  responder.send({ status, reason, contentType: null, body })
}

/** Also the WebSocket port's only HTTP route. */
export function answerLogin(
  service: Pick<HttpService, 'authenticator' | 'unpackers' | 'log'>,
  request: HttpRequest,
  responder: Responder,
): void {
  const collector = new BodyCollector(LOGIN_BODY_MAX_BYTES, new BodyBudget(LOGIN_BODY_MAX_BYTES))
  const stopReading = readBody(request, service.unpackers, collector, {
    onBodyRefused: (reason: BodyRefusal) => responder.send(BODY_REFUSED[reason]),
    onBody: (body) => {
      service.authenticator.login(body, addressOf(request.socket)).then(
        (answer) => responder.send(answer),
        (error: unknown) => {
          service.log.error(JSONRPC_PROBLEMS.loginFailed, { err: error })
          responder.send(INTERNAL_ERROR)
        },
      )
    },
  })
  responder.onClosed(() => {
    stopReading()
    collector.release()
  })
}

/** Depends on path and method only. */
type Route =
  | { readonly kind: 'call' | 'login' | 'greeting' | 'liveness' | 'readiness' | 'unknown' }
  | { readonly kind: 'wrong-method'; readonly allow: string }

const UNKNOWN: Route = { kind: 'unknown' }
const CALL: Route = { kind: 'call' }

interface Path {
  readonly methods: Readonly<Record<string, Route>>
  /** For all methods but HEAD, whose answer has no Allow header in Besu. */
  readonly otherwise: Route
}

const PATHS: ReadonlyMap<string, Path> = new Map([
  ['/', path({ POST: CALL, GET: { kind: 'greeting' } })],
  ['/login', path({ POST: { kind: 'login' } })],
  ['/liveness', path({ GET: { kind: 'liveness' } })],
  ['/readiness', path({ GET: { kind: 'readiness' } })],
])

function path(methods: Readonly<Record<string, Route>>): Path {
  return { methods, otherwise: { kind: 'wrong-method', allow: Object.keys(methods).join(',') } }
}

export function findRoute(method: string, url: string): Route {
  if (url === '/' && method === 'POST') return CALL
  const found = PATHS.get(pathOf(url))
  if (found === undefined) return UNKNOWN
  return Object.hasOwn(found.methods, method) ? (found.methods[method] ?? UNKNOWN) : found.otherwise
}
