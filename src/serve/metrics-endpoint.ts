import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { createConnectionSlots } from './connection-slots.ts'
import { emptyAnswer } from './http-answer.ts'
import { SERVE_PROBLEMS } from './log-problems.ts'
import { pathOf } from './request-target.ts'
import type { Responder } from './responder.ts'
import { type HttpRequest, type HttpSettings, type RunningServer, serveHttp } from './serve-http.ts'

/* Scrapers are few and known, so all limits are small. */
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
  /** If 0, the system chooses the port. */
  readonly port: number
  /** Host names; `*` allows every host. */
  readonly hostAllowlist: readonly string[]
  readonly exposition: () => Promise<Exposition>
  readonly clock: Clock
  readonly log: Log
}

/** Serves /metrics for Prometheus on its own port. Resolves when it listens. */
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
  { url = '/' }: HttpRequest,
  responder: Responder,
): void {
  const path = pathOf(url)
  if (path === '/') send(responder, { contentType: HTML_TYPE, body: HOME_PAGE })
  else if (path !== '/metrics') responder.send(emptyAnswer(404, 'Not Found'))
  else {
    exposition().then(
      (all) => send(responder, selected(all, url)),
      (error: unknown) => {
        log.error(SERVE_PROBLEMS.metricsFailed, { err: error })
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

/** Sends about 100 KiB in one piece: compressing it takes a few milliseconds every 15 seconds. */
function send(responder: Responder, { contentType, body }: Exposition): void {
  responder.sendWhole({ status: 200, reason: 'OK', contentType }, body)
}

/** Suffixes of a family's sample names. */
const SAMPLE_SUFFIXES = ['_total', '_count', '_sum', '_bucket', '_created', '_info']

/**
 * Keeps the metric families that `names` contains, by the name of the family or of one of its samples. Prometheus selects
 * them with `?name[]=`.
 */
export function filterExposition(text: string, names: ReadonlySet<string>): string {
  const kept: string[] = []
  let family = ''
  let isKept = false
  for (const line of text.split('\n')) {
    const name = /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1]
    if (name !== undefined && name !== family) {
      family = name
      isKept = names.has(name) || SAMPLE_SUFFIXES.some((suffix) => names.has(name + suffix))
    }
    if (line !== '' && (isKept || line === '# EOF')) kept.push(line)
  }
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`
}
