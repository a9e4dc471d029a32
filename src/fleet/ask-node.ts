/** A JSON-RPC client for operator tools: one batch, one answer, or the reason why there is none. */
import { deadlineSignal, systemClock } from '#platform/clock.ts'
import { HttpClient, type HttpReply } from '#platform/http-client.ts'
import { printableLine } from '#types/printable.ts'
import type { Endpoint, NodeLogin } from './endpoint.ts'
import { refusal } from './plan-network.ts'

/** A network of a thousand validators needs a quarter of these bytes. */
const LIMITS: AnswerLimits = { deadlineMs: 5_000, maxAnswerBytes: 2 * 1024 * 1024 }

export interface AnswerLimits {
  readonly deadlineMs: number
  readonly maxAnswerBytes: number
}

export interface NodeCall {
  readonly method: string
  readonly params?: readonly unknown[]
}

export interface NodeAnswer {
  readonly result?: unknown
  /** Its message is one line that is safe to print on a terminal. */
  readonly error?: { readonly code?: number; readonly message: string }
}

const UNAUTHORIZED = -40100
const UNAUTHORIZED_STATUS = 401

/** Tokens by URL. Verifying a password takes a node a tenth of a second, and it accepts only a few logins per minute. */
const tokens = new Map<string, string>()

interface Line {
  readonly url: string
  readonly client: HttpClient
  readonly signal: AbortSignal
}

/** Returns the answers in the order of the calls. Throws if the node does not answer in time. */
export async function askNode(
  { url, login, token }: Endpoint,
  calls: readonly NodeCall[],
  { deadlineMs, maxAnswerBytes }: AnswerLimits = LIMITS,
): Promise<readonly NodeAnswer[]> {
  using signal = deadlineSignal(systemClock, deadlineMs, undefined, `An answer from ${url}`)
  const client = new HttpClient({
    url: url.replace(/\/+$/, ''),
    maxConnections: 1,
    maxUnderWay: 1,
    maxAnswerBytes,
  })
  const line = { url, client, signal }
  try {
    return await (login === undefined ? postBatch(line, calls, token) : postLoggedIn(line, login, calls))
  } finally {
    client.close()
  }
}

/** Sends password and token only to the node itself, never to another program that took its port. */
async function postLoggedIn(
  line: Line,
  login: NodeLogin,
  calls: readonly NodeCall[],
): Promise<readonly NodeAnswer[]> {
  login.requireOwner()
  const known = tokens.get(line.url)
  if (known !== undefined) {
    // The token has expired, or the node was restarted and has new keys.
    const answers = await postBatch(line, calls, known).catch(() => undefined)
    if (answers?.every(({ error }) => error?.code !== UNAUTHORIZED)) return answers
    login.requireOwner()
  }
  const { token } = (await post(line, '/login', {
    username: login.username,
    password: login.password,
  })) as {
    token?: unknown
  }
  if (typeof token !== 'string') throw refusal(`${line.url} answered the login without a token.`)
  tokens.set(line.url, token)
  return await postBatch(line, calls, token)
}

async function postBatch(
  line: Line,
  calls: readonly NodeCall[],
  token?: string,
): Promise<readonly NodeAnswer[]> {
  const body = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const answer = await post(line, '', body, token)
  if (!Array.isArray(answer)) throw refusal(`${line.url} answered something else than a batch.`)
  const byId = new Map(answer.filter(isObject).map((each) => [each.id, each]))
  return calls.map((_, id) => decodeAnswer(byId.get(id)))
}

/** The answer of another program may have any shape. */
function decodeAnswer(answer: Record<string, unknown> | undefined): NodeAnswer {
  if (answer === undefined) return { error: { message: 'no answer' } }
  if (!isObject(answer.error)) return { result: answer.result }
  const { code, message } = answer.error
  return {
    error: {
      ...(typeof code === 'number' && { code }),
      message: typeof message === 'string' ? printableLine(message) : 'an error without a message',
    },
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

async function post(
  { url, client, signal }: Line,
  path: string,
  body: unknown,
  token?: string,
): Promise<unknown> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  let reply: HttpReply
  try {
    reply = await client.ask({ path, headers, body: JSON.stringify(body) }, signal)
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof Error ? ` (${printableLine(error.message)})` : ''
    throw refusal(`${url} does not answer${why}; check that a node runs there.`)
  }
  if (reply.status === UNAUTHORIZED_STATUS) {
    const what =
      path === '/login'
        ? 'this user and password'
        : token === undefined
          ? 'calls without a token'
          : 'this token'
    throw refusal(`${url} refuses ${what} (401 Unauthorized).`)
  }
  if (reply.status < 200 || reply.status > 299) {
    throw refusal(`${url} answered with status ${reply.status}.`)
  }
  try {
    return JSON.parse(reply.text) as unknown
  } catch {
    throw refusal(`${url} answered something else than JSON.`)
  }
}
