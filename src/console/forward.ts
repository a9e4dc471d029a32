/** Forwards requests of the page to the listed nodes, whose own pipelines authenticate, limit and audit them. */
import { BodyBudget, BodyCollector } from '#jsonrpc/server/body-collector.ts'
import { BODY_REFUSED, JSON_TYPE } from '#jsonrpc/server/http-answers.ts'
import { readBody, Unpackers } from '#jsonrpc/server/read-body.ts'
import { HttpClient } from '#platform/http-client.ts'
import { type HttpAnswer, textAnswer } from '#serve/http-answer.ts'
import type { Responder } from '#serve/responder.ts'
import type { HttpRequest } from '#serve/serve-http.ts'
import type { ConsoleNode } from './options.ts'

const TIMEOUT_MS = 5_000
const MAX_REQUEST_BYTES = 512 * 1024
/** Of all requests that are being read. */
const MAX_READING_BYTES = 4 * 1024 * 1024
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_CONNECTIONS = 4
const MAX_UNDER_WAY = 64

/** The only paths of another node that the console can reach, by the word in its own path. */
const TARGETS: ReadonlyMap<string, string> = new Map([
  ['rpc', '/'],
  ['login', '/login'],
])
const CHANGE_REFUSED = textAnswer(403, 'Forbidden', 'Changes of other nodes need a token of a user.')
const OPEN_NODE_REFUSED = textAnswer(
  403,
  'Forbidden',
  'The node does not authenticate its callers, so any token would do: the console does not change it.',
)
/** A node that authenticates refuses this call without a token, whatever its users may do. */
const PROBE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'web3_clientVersion', params: [] })
const UNAUTHORIZED_STATUS = 401
const PATH = /^\/nodes\/(\d{1,3})\/([a-z]+)$/

interface ForwardRules {
  isRead(method: string): boolean
  /** If false, nobody may change another node through this one, because callers are not authenticated. */
  readonly mayChange: boolean
}

export class Forwarder {
  readonly #clients: readonly HttpClient[]
  readonly #rules: ForwardRules
  readonly #budget = new BodyBudget(MAX_REQUEST_BYTES, MAX_READING_BYTES)
  readonly #unpackers = new Unpackers()

  constructor(nodes: readonly ConsoleNode[], rules: ForwardRules) {
    this.#rules = rules
    this.#clients = nodes.map(
      ({ url }) =>
        new HttpClient({
          url,
          maxConnections: MAX_CONNECTIONS,
          maxUnderWay: MAX_UNDER_WAY,
          maxAnswerBytes: MAX_ANSWER_BYTES,
        }),
    )
  }

  /** False if the path names no node. */
  take(path: string, request: HttpRequest, responder: Responder): boolean {
    const [, index, word] = PATH.exec(path) ?? []
    const client = this.#clients[Number(index)]
    const target = TARGETS.get(word ?? '')
    if (client === undefined || target === undefined || request.method !== 'POST') return false
    const collector = new BodyCollector(MAX_REQUEST_BYTES, this.#budget)
    const leaving = new AbortController()
    const stopReading = readBody(request, this.#unpackers, collector, {
      onBodyRefused: (reason) => responder.send(BODY_REFUSED[reason]),
      onBody: (body) => {
        const { authorization } = request.headers
        const mayChange = this.#rules.mayChange && authorization !== undefined
        const text = Buffer.from(body).toString('utf8')
        const reads = target === '/login' ? text : this.#readsOf(text)
        if (reads === undefined && !mayChange) return responder.send(CHANGE_REFUSED)
        const question = {
          path: target,
          body: mayChange ? text : reads!,
          ...(authorization !== undefined && { headers: { authorization } }),
        }
        const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(TIMEOUT_MS)])
        const forward = async (): Promise<HttpAnswer> => {
          if (reads === undefined && !(await isAuthenticating(client, signal))) return OPEN_NODE_REFUSED
          const { status, text } = await client.ask(question, signal)
          return answered(status, text)
        }
        forward().then(
          (answer) => responder.send(answer),
          (error: unknown) => responder.send(unreachable(error, signal)),
        )
      },
    })
    responder.onClosed(() => {
      stopReading()
      collector.release()
      leaving.abort()
    })
    return true
  }

  /**
   * The requests in an encoding of our own, so the node cannot read another method from them than this one; undefined if
   * not all of them are reads.
   */
  #readsOf(text: string): string | undefined {
    const value = jsonOf(text)
    const requests: readonly unknown[] = Array.isArray(value) ? value : [value]
    return requests.every((each) => this.#rules.isRead(methodOf(each))) ? JSON.stringify(value) : undefined
  }

  close(): void {
    for (const client of this.#clients) client.close()
  }
}

/** Asked before every change: a node may have been restarted without its users. */
async function isAuthenticating(client: HttpClient, signal: AbortSignal): Promise<boolean> {
  const { status } = await client.ask({ path: '/', body: PROBE }, signal)
  return status === UNAUTHORIZED_STATUS
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function methodOf(request: unknown): string {
  const { method } = (request ?? {}) as { readonly method?: unknown }
  return typeof method === 'string' ? method : ''
}

function answered(status: number, body: string): HttpAnswer {
  return { status, reason: status === 200 ? 'OK' : 'Answered', contentType: JSON_TYPE, body }
}

function unreachable(error: unknown, signal: AbortSignal): HttpAnswer {
  const isLate = signal.aborted
  const why = isLate ? `no answer within ${TIMEOUT_MS / 1_000} s` : (error as Error).message
  const body = JSON.stringify({ unreachable: why })
  const status = isLate ? { status: 504, reason: 'Gateway Timeout' } : { status: 502, reason: 'Bad Gateway' }
  return { ...status, contentType: JSON_TYPE, body }
}
