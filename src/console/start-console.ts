/**
 * The room `console` serves a web page that shows the network, and the JSON-RPC that the page calls, on one port. It has
 * no methods: requests go through the pipeline of `jsonrpc`, or to the listed nodes.
 */
import { JSON_TYPE } from '#jsonrpc/server/http-answers.ts'
import type { RpcPipeline } from '#jsonrpc/threads/json-rpc-server.ts'
import { type HttpAnswer, INTERNAL_ERROR, rawAnswer, textAnswer } from '#serve/http-answer.ts'
import type { UpgradeHandler } from '#serve/open-server.ts'
import { PlainRequest } from '#serve/plain-request.ts'
import { pathOf } from '#serve/request-target.ts'
import { chooseCoding, type Responder } from '#serve/responder.ts'
import { type HttpHandler, type HttpRequest, type RunningServer, serveHttp } from '#serve/serve-http.ts'
import { Forwarder } from './forward.ts'
import { CONSOLE_PROBLEMS } from './log-problems.ts'
import type { ConsoleNode } from './options.ts'
import { loadPages, type Page } from './pages.ts'

export interface ConsoleOptions {
  readonly host: string
  readonly port: number
  readonly nodes: readonly ConsoleNode[]
  readonly pipeline: RpcPipeline
}

/** Nothing runs, loads or frames this page but the page itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const HEADERS: readonly (readonly [string, string])[] = [
  ['content-security-policy', POLICY],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
]

const FOREIGN_ORIGIN = textAnswer(403, 'Forbidden', 'This page may not call the console.')
const NOT_FOUND = textAnswer(404, 'Not Found')
const OK = { status: 200, reason: 'OK' } as const
/** Requested together with the next one, because a browser cannot add headers to a handshake. */
const SUBPROTOCOL = 'cairn-console'
const TOKEN_PROTOCOL = 'token.'

/** Resolves when it listens. */
export async function startConsole({ host, port, nodes, pipeline }: ConsoleOptions): Promise<RunningServer> {
  const { settings, authentication } = pipeline
  const forwarder = new Forwarder(nodes, {
    isRead: (method) => pipeline.isRead(method),
    mayChange: authentication !== 'off',
  })
  const scheme = settings.tls === undefined ? 'http' : 'https'
  const setup: HttpAnswer = {
    ...OK,
    contentType: JSON_TYPE,
    body: JSON.stringify({ authentication, nodes }),
    headers: ['cache-control', 'no-store'],
  }
  const sendPage = createPageSender(pipeline)
  const read = (path: string, request: HttpRequest, responder: Responder): void => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && path === '/setup') responder.send(setup)
    else if (isRead) sendPage(path, request, responder)
    else responder.send(NOT_FOUND)
  }
  const handle: HttpHandler = (request, responder) => {
    for (const [name, value] of HEADERS) responder.addHeader(name, value)
    const path = pathOf(request.url ?? '/')
    if (!isOwnOrigin(request, scheme)) responder.send(FOREIGN_ORIGIN)
    else if (isCall(path, request)) return pipeline.handle(request, responder)
    else if (forwarder.take(path, request, responder)) return null
    else read(path, request, responder)
    if (!(request instanceof PlainRequest)) request.resume()
    return null
  }
  const upgrade: UpgradeHandler = (request, socket, head) => {
    if (!isOwnOrigin(request, scheme) || pathOf(request.url ?? '/') !== '/rpc') {
      socket.on('error', () => socket.destroy())
      socket.end(rawAnswer(FOREIGN_ORIGIN))
      request.socket.destroySoon()
      return
    }
    takeToken(request.headers)
    pipeline.upgrade(request, socket, head)
  }
  const address = { host, port, hostOption: '--console-host', portOption: '--console-port' }
  const server = await serveHttp({ ...settings, upgrade }, address, handle)
  return {
    port: server.port,
    async stop(signal) {
      forwarder.close()
      await pipeline.stop(signal)
      await server.stop(signal)
    },
  }
}

/** True for JSON-RPC, which the pipeline expects at the root, and for logins. */
function isCall(path: string, request: HttpRequest): boolean {
  if (request.method !== 'POST' || request instanceof PlainRequest) return false
  if (path === '/rpc') request.url = '/'
  return path === '/rpc' || path === '/login'
}

/** Programs send no Origin. The Host header is one of the allowlist, so another name cannot equal it. */
function isOwnOrigin({ headers }: HttpRequest, scheme: string): boolean {
  const { origin, host } = headers
  return origin === undefined || origin === `${scheme}://${host}`
}

/** Turns the token among the requested protocols into the header that the pipeline reads. */
function takeToken(headers: HttpRequest['headers']): void {
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((each) => each.trim())
  const token = protocols.find((each) => each.startsWith(TOKEN_PROTOCOL))
  if (token === undefined) return
  headers.authorization ??= `Bearer ${token.slice(TOKEN_PROTOCOL.length)}`
  headers['sec-websocket-protocol'] = SUBPROTOCOL
}

function createPageSender({ settings: { log } }: RpcPipeline) {
  let loading: Promise<ReadonlyMap<string, Page>> | undefined
  return (path: string, { headers }: HttpRequest, responder: Responder): void => {
    loading ??= loadPages()
    loading.then(
      (pages) => {
        const page = pages.get(path)
        if (page === undefined) responder.send(NOT_FOUND)
        else sendPage(page, headers, responder)
      },
      (error: unknown) => {
        loading = undefined
        log.error(CONSOLE_PROBLEMS.pagesMissing, { err: error })
        responder.send(INTERNAL_ERROR)
      },
    )
  }
}

function sendPage(page: Page, headers: HttpRequest['headers'], responder: Responder): void {
  const { contentType, plain, packed } = page
  const isPacked = chooseCoding(headers['accept-encoding'] as string | undefined) === 'gzip'
  const coding = isPacked ? ['content-encoding', 'gzip'] : []
  responder.sendBytes({ ...OK, contentType }, isPacked ? packed : plain, [
    'cache-control',
    'no-cache',
    ...coding,
  ])
}
