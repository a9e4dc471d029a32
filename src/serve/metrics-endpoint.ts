import type { IncomingMessage } from 'node:http'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { emptyAnswer } from './http-answer.ts'
import { pathOf } from './request-target.ts'
import type { Responder } from './responder.ts'
import { type HttpSettings, type RunningServer, serveHttp } from './serve-http.ts'

/* Scrapers are few and known: small numbers everywhere. */
const CONNECTIONS_MAX = 32
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
  readonly clock: Clock
  readonly log: Log
}

/** /metrics for Prometheus, on a port of its own. Resolves when it listens. */
export function startMetricsEndpoint(options: MetricsEndpointOptions): Promise<RunningServer> {
  const { host, port, clock, log } = options
  const settings: HttpSettings = {
    slots: createConnectionSlots(CONNECTIONS_MAX),
    limits: { timeoutMs: TIMEOUT_MS },
    clock,
    log,
    hostAllowlist: options.hostAllowlist,
    foreignHost: { refused: emptyAnswer(403, 'Forbidden'), malformed: emptyAnswer(400, 'Bad Request') },
  }
  const address = { host, port, hostOption: '--metrics-host', portOption: '--metrics-port' }
  return serveHttp(settings, address, (request, responder) => {
    answer(options, request, responder)
    return null
  })
}

function answer(
  { exposition, log }: MetricsEndpointOptions,
  { url = '/', headers }: IncomingMessage,
  responder: Responder,
): void {
  const path = pathOf(url)
  if (path === '/') send(responder, { contentType: HTML_TYPE, body: HOME_PAGE })
  else if (path !== '/metrics') responder.send(emptyAnswer(404, 'Not Found'))
  else {
    const prefersOpenMetrics = /application\/openmetrics-text/i.test(headers.accept ?? '')
    exposition(prefersOpenMetrics).then(
      (all) => send(responder, selected(all, url)),
      (error: unknown) => {
        log.error('The metrics could not be collected.', { err: error })
        responder.send(emptyAnswer(500, 'Internal Server Error'))
      },
    )
  }
}

function selected({ contentType, body }: Exposition, url: string): Exposition {
  const start = url.indexOf('?')
  const names = start === -1 ? [] : new URLSearchParams(url.slice(start + 1)).getAll('name[]')
  return { contentType, body: names.length === 0 ? body : filterExposition(body, new Set(names)) }
}

/** In one piece, although some 100 KiB: compressed in a few milliseconds every quarter of a minute. */
function send(responder: Responder, { contentType, body }: Exposition): void {
  responder.sendWhole({ status: 200, reason: 'OK', contentType }, body)
}

/** What a family's sample may be called beside the family itself. */
const SAMPLE_SUFFIXES = ['_total', '_count', '_sum', '_bucket', '_created', '_info']

/**
 * Keeps the metric families that `names` asks for, by the name of the family or of one of its samples. Prometheus
 * asks so with `?name[]=`.
 */
export function filterExposition(text: string, names: ReadonlySet<string>): string {
  const kept: string[] = []
  let family = ''
  let isKept = false
  for (const line of text.split('\n')) {
    const name = familyNamed(line)
    if (name !== undefined && name !== family) {
      family = name
      isKept = names.has(name) || SAMPLE_SUFFIXES.some((suffix) => names.has(name + suffix))
    }
    if (line !== '' && (isKept || line === '# EOF')) kept.push(line)
  }
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`
}

/** A family begins with its HELP or TYPE line. */
function familyNamed(line: string): string | undefined {
  return /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1]
}
