/** Calls nodes through the console's port. Tokens live in this module's memory and go nowhere else. */

export interface Setup {
  readonly authentication: 'off' | 'credentials' | 'publicKey'
  readonly nodes: readonly { readonly name: string; readonly url: string }[]
}

export interface Call {
  readonly method: string
  readonly params?: readonly unknown[]
}

export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string; readonly data?: unknown }

/** The node that serves this page; others have their index in the list. */
export const SELF = -1

export class Unreachable extends Error {}
/** There was no answer in time; the node may still be running. */
export class Late extends Unreachable {}
export class Unauthorized extends Error {}

const REQUEST_TIMEOUT_MS = 8_000
const GATEWAY_TIMEOUT = 504
const tokens = new Map<number, string>()

const baseOf = (node: number): string => (node === SELF ? '' : `/nodes/${node}`)

export async function readSetup(): Promise<Setup> {
  const response = await fetch('/setup', { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) })
  return (await response.json()) as Setup
}

/** Sends the calls in one batch. Rejects if the node does not answer or refuses the caller. */
export async function ask(node: number, calls: readonly Call[]): Promise<readonly Answer[]> {
  const batch = calls.map(({ method, params = [] }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const response = await post(node, '/rpc', batch, tokens.get(node))
  if (response.status === 401) throw new Unauthorized('The node does not know this token.')
  const body: unknown = await response.json().catch(() => undefined)
  if (response.status === GATEWAY_TIMEOUT) throw new Late(whyOf(body, response.status))
  if (!Array.isArray(body)) throw new Unreachable(whyOf(body, response.status))
  const answers = new Map(body.filter(isRecord).map((each) => [each.id, each]))
  return calls.map((_, id) => answerOf(answers.get(id)))
}

/** One call. Rejects with the text of the node's error. */
export async function request<Result>(node: number, method: string, ...params: unknown[]): Promise<Result> {
  const [answer] = await ask(node, [{ method, params }])
  if (answer?.ok) return answer.result as Result
  throw new Error(answer?.message ?? 'The node sent no answer.')
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** A listed node may be hostile, so no member is assumed to have its type. */
function answerOf(each: Readonly<Record<string, unknown>> | undefined): Answer {
  if (each === undefined) return { ok: false, code: 0, message: 'The node sent no answer.' }
  const { error, result } = each
  if (!isRecord(error)) return { ok: true, result }
  return { ok: false, code: Number(error.code), message: String(error.message), data: error.data }
}

function whyOf(body: unknown, status: number): string {
  if (typeof body === 'object' && body !== null && 'unreachable' in body) return String(body.unreachable)
  return `The node answered with HTTP status ${status}.`
}

async function post(node: number, path: string, body: unknown, token?: string): Promise<Response> {
  try {
    return await fetch(`${baseOf(node)}${path}`, {
      method: 'POST',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    if (isLate) throw new Late(`no answer within ${REQUEST_TIMEOUT_MS / 1_000} s`)
    throw new Unreachable('the console does not answer')
  }
}

/** False if the node refuses the password. */
export async function logIn(node: number, username: string, password: string): Promise<boolean> {
  const response = await post(node, '/login', { username, password })
  const body: unknown = await response.json().catch(() => undefined)
  if (response.status !== 200 || typeof body !== 'object' || body === null || !('token' in body)) return false
  tokens.set(node, String(body.token))
  return true
}

export function useToken(node: number, token: string): void {
  tokens.set(node, token)
}

export function forgetTokens(): void {
  tokens.clear()
}

export const hasToken = (node: number): boolean => tokens.has(node)

/** The grants that a token lists. The node decides; the page only hides what would be refused. */
export function grantsOf(node: number): readonly string[] {
  const payload = tokens.get(node)?.split('.')[1]
  if (payload === undefined) return []
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const { permissions } = JSON.parse(text) as { permissions?: unknown }
    return Array.isArray(permissions) ? permissions.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

export function openSocket(): WebSocket {
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/rpc`
  const token = tokens.get(SELF)
  return new WebSocket(url, token === undefined ? ['cairn-console'] : ['cairn-console', `token.${token}`])
}
