/** JSON-RPC as an operator's tool speaks it: one batch, one answer, or the reason why there is none. */
import { type Clock, deadlineSignal, systemClock } from '#platform/clock.ts'
import { type Endpoint, OPERATOR } from './network-directory.ts'
import { refusal } from './plan-network.ts'

const DEADLINE_MS = 5_000

export interface NodeCall {
  readonly method: string
  readonly params?: readonly unknown[]
}

export interface NodeAnswer {
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message: string }
}

const UNAUTHORIZED = -40100

/** By URL. Verifying a password costs a node a tenth of a second, and it takes few of them in a minute. */
const tokens = new Map<string, string>()

/** In the order of the calls. Throws when the node does not answer in time, or not at all. */
export async function askNode(
  endpoint: Endpoint,
  calls: readonly NodeCall[],
  clock: Clock = systemClock,
): Promise<readonly NodeAnswer[]> {
  using signal = deadlineSignal(clock, DEADLINE_MS, undefined, `An answer from ${endpoint.url}`)
  const { url, password } = endpoint
  // Awaited here, so that the deadline holds.
  if (password === undefined) return await postBatch(url, calls, signal)
  const known = tokens.get(url)
  if (known !== undefined) {
    // It is over, or the node has new keys since it was started again.
    const answers = await postBatch(url, calls, signal, known).catch(() => undefined)
    if (answers?.every(({ error }) => error?.code !== UNAUTHORIZED)) return answers
  }
  const token = await logIn(url, password, signal)
  tokens.set(url, token)
  return await postBatch(url, calls, signal, token)
}

async function postBatch(
  url: string,
  calls: readonly NodeCall[],
  signal: AbortSignal,
  token?: string,
): Promise<readonly NodeAnswer[]> {
  const body = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const answer = await post(url, body, signal, token)
  if (!Array.isArray(answer)) throw new Error(`${url} answered something else than a batch.`)
  const byId = new Map((answer as (NodeAnswer & { id: unknown })[]).map((each) => [each.id, each]))
  return calls.map((_, id) => byId.get(id) ?? { error: { message: 'no answer' } })
}

async function logIn(url: string, password: string, signal: AbortSignal): Promise<string> {
  const login = { username: OPERATOR, password }
  const { token } = (await post(`${url}/login`, login, signal)) as { token: string }
  return token
}

async function post(url: string, body: unknown, signal: AbortSignal, token?: string): Promise<unknown> {
  const asked = fetch(url, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const response = await asked.catch(({ cause }: Error) => {
    signal.throwIfAborted()
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    throw refusal(`${url} does not answer${why}; 'cairn network status' shows which nodes run.`)
  })
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}.`)
  return response.json()
}
