import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Log } from '#platform/log.ts'
import { compress } from './compress.ts'
import { filterExposition } from './filter-exposition.ts'
import { createHostAllowlist } from './host-allowlist.ts'
import type { RunningServer } from './http.ts'
import { listen } from './listen.ts'
import { chooseCoding } from './negotiate.ts'
import { pathOf } from './routes.ts'

/* Scrapers are few and known: small numbers everywhere. */
const CONNECTIONS_MAX = 32
const HEADERS_MAX_BYTES = 8 * 1024
const TIMEOUT_MS = 10_000

const HTML_TYPE = 'text/html; charset=utf-8'
const HOME_PAGE =
  '<html><head><title>Metrics</title></head><body><h1>Metrics</h1>' +
  '<p><a href="/metrics">/metrics</a> for Prometheus; <code>?name[]=</code> selects metrics by name.</p></body></html>\n'

export interface Exposition {
  readonly contentType: string
  readonly body: string
}

export interface MetricsEndpointOptions {
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Host names; `*` for every host. */
  readonly hostAllowlist: readonly string[]
  /** OpenMetrics where the scraper asks for it and the source offers it, else Prometheus' own text. */
  readonly exposition: (prefersOpenMetrics: boolean) => Promise<Exposition>
  readonly log: Log
}

/** /metrics for Prometheus, on a port of its own. Resolves when it listens. */
export async function startMetricsEndpoint(options: MetricsEndpointOptions): Promise<RunningServer> {
  const { host, port, exposition, log } = options
  const hosts = createHostAllowlist(options.hostAllowlist)
  const server = createServer({
    maxHeaderSize: HEADERS_MAX_BYTES,
    headersTimeout: TIMEOUT_MS,
    requestTimeout: TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_MS / 2,
    requireHostHeader: false,
  })
  server.maxConnections = CONNECTIONS_MAX
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const verdict = hosts.judge(request.headers.host, request.httpVersion)
    if (verdict !== 'allowed') {
      sendEmpty(response, verdict === 'refused' ? 403 : 400)
      return
    }
    const path = pathOf(request.url ?? '/')
    if (path === '/') send(request, response, { contentType: HTML_TYPE, body: HOME_PAGE })
    else if (path !== '/metrics') sendEmpty(response, 404)
    else {
      const prefersOpenMetrics = /application\/openmetrics-text/i.test(request.headers.accept ?? '')
      exposition(prefersOpenMetrics).then(
        (answer) => send(request, response, selected(answer, request.url ?? '')),
        (error: unknown) => {
          log.error('The metrics could not be collected.', { err: error })
          sendEmpty(response, 500)
        },
      )
    }
  })
  const address = { host, port, hostOption: '--metrics-host', portOption: '--metrics-port' }
  const bound = await listen(server, address, (error) =>
    log.warn('A connection could not be accepted.', { err: error }),
  )
  return {
    port: bound,
    async stop() {
      const { promise, resolve } = Promise.withResolvers<void>()
      server.close(() => resolve())
      // A scrape that fails is repeated; nothing here is worth waiting for.
      server.closeAllConnections()
      await promise
    },
  }
}

function selected({ contentType, body }: Exposition, url: string): Exposition {
  const start = url.indexOf('?')
  const names = start === -1 ? [] : new URLSearchParams(url.slice(start + 1)).getAll('name[]')
  return { contentType, body: names.length === 0 ? body : filterExposition(body, new Set(names)) }
}

function send(request: IncomingMessage, response: ServerResponse, { contentType, body }: Exposition): void {
  const coding = chooseCoding(request.headers['accept-encoding'] as string | undefined)
  // On the spot although some 100 KiB: a few milliseconds every quarter of a minute.
  const payload = coding === null ? Buffer.from(body) : compress(body, coding)
  const headers = ['content-type', contentType, 'content-length', String(payload.length)]
  if (coding !== null) headers.push('content-encoding', coding)
  response.writeHead(200, 'OK', headers)
  response.end(payload)
}

function sendEmpty(response: ServerResponse, status: number): void {
  response.writeHead(status, ['content-length', '0'])
  response.end()
}
