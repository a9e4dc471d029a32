import { METHODS } from '#api/methods.generated.ts'
import { BESU_METHODS } from '#api/registry/besu-methods.ts'
import { firstDifference } from '../../acceptance/conversations/compare-json.ts'
import type { Reply, Transcript } from './transcript.ts'

export type Verdict =
  | { readonly kind: 'met' }
  /** Everything matches except the answers of these methods, which Cairn does not have yet. */
  | { readonly kind: 'waits'; readonly methods: readonly string[] }
  | { readonly kind: 'differs'; readonly where: string }

const HERE = new Set(METHODS.flatMap(({ name, aliases = [] }) => [name, ...aliases]))

export function isMissing(method: string): boolean {
  return BESU_METHODS.has(method) && !HERE.has(method)
}

/** `asks` contains the JSON request of each reply, if there is one. */
export function judge(
  expected: Transcript,
  actual: Transcript,
  asks: readonly (string | undefined)[],
): Verdict {
  const methods = new Set<string>()
  for (let at = 0; at < Math.max(expected.replies.length, actual.replies.length); at += 1) {
    const [theirs, ours] = [expected.replies[at], actual.replies[at]]
    if (theirs === undefined) return differs(`reply ${at} is too much: ${JSON.stringify(ours)}`)
    if (ours === undefined) return differs(`reply ${at} is missing: ${JSON.stringify(theirs)}`)
    const difference = replyDifference(ofAnyChain(theirs, asks[at]), ofAnyChain(ours, asks[at]))
    if (difference === undefined) continue
    const waiting = waitingForm(theirs, asks[at])
    if (waiting.methods.length === 0) return differs(difference)
    const remaining = replyDifference(ofAnyChain(waiting.reply, asks[at]), ofAnyChain(ours, asks[at]))
    if (remaining !== undefined) return differs(remaining)
    for (const method of waiting.methods) methods.add(method)
  }
  if (expected.end !== actual.end) return differs(`the connection is ${actual.end}, expected ${expected.end}`)
  return methods.size === 0 ? { kind: 'met' } : { kind: 'waits', methods: [...methods].sort() }
}

function differs(where: string): Verdict {
  return { kind: 'differs', where }
}

function replyDifference(expected: Reply, actual: Reply): string | undefined {
  const [theirs, ours] = [expected, actual].map(({ status, reason }) => `${status} ${reason}`)
  if (theirs !== ours) return `answered ${ours}, expected ${theirs}; body ${actual.body}`
  for (const name of new Set([...Object.keys(expected.headers), ...Object.keys(actual.headers)])) {
    const [theirValue, ourValue] = [expected.headers[name], actual.headers[name]]
    if (theirValue !== ourValue) return `header ${name} is ${ourValue}, expected ${theirValue}`
  }
  return bodyDifference(normalised(expected.body), normalised(actual.body))
}

/** Compares byte by byte, except for the order of members, which is random in Besu's hash maps. */
function bodyDifference(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined
  const sameForm = expected.includes('\n') === actual.includes('\n')
  try {
    return sameForm ? firstDifference(expected, actual) : `the form of ${actual}, expected ${expected}`
  } catch {
    return `body ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`
  }
}

const CLIENT_VERSION = /"(?:besu|cairn)\/((?:\w+\/)?)v[\d.]+\/[\w-]+\/[\w-]+"/g
/** Cairn reports that no option enables a missing method; Besu has all methods. */
/** Cairn adds the reason. */
const NOT_ENABLED = /Method not enabled \((?:not part of this version yet|it notifies its caller[^)]*)\)/g
const TOKEN = /^\{"token":"([\w-]+)\.([\w-]+)\.[\w-]+"\}$/

/** Normalises what the recordings' README permits to differ: the client name, and tokens except for their content. */
function normalised(body: string): string {
  const [, header, payload] = TOKEN.exec(body) ?? []
  if (header === undefined || payload === undefined) {
    return body.replaceAll(CLIENT_VERSION, '"client/$1"').replaceAll(NOT_ENABLED, 'Method not enabled')
  }
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { iat, exp, ...rest } = claims
  return JSON.stringify({ header: Buffer.from(header, 'base64url').toString(), ...rest, lives: exp - iat })
}

/** Values that differ between chains and runs: the number of blocks, and ids of filters and subscriptions. */
const VARYING: ReadonlySet<unknown> = new Set(['eth_blockNumber', 'eth_newBlockFilter', 'eth_subscribe'])
const QUANTITY = /^0x[0-9a-f]+$/

function ofAnyChain(reply: Reply, ask: string | undefined): Reply {
  const calls = parsed(ask)
  const answers = parsed(reply.body)
  if (typeof calls !== 'object' || calls === null || answers === undefined) return reply
  const asked = [calls].flat().filter((call) => !isNotification(call)) as ({ method?: unknown } | null)[]
  const given = [answers].flat() as { result?: unknown }[]
  if (!asked.some((call) => VARYING.has(call?.method))) return reply
  const now = given.map((answer, at) =>
    VARYING.has(asked[at]?.method) && QUANTITY.test(String(answer.result))
      ? { ...answer, result: 'any' }
      : answer,
  )
  return { ...reply, body: formatted(Array.isArray(answers) ? now : now[0], reply.body) }
}

interface WaitingForm {
  readonly reply: Reply
  readonly methods: readonly string[]
}

/**
 * The same reply from a node that knows the missing methods but has not enabled them. The node checks that before
 * permissions, so a recorded refusal takes the same form.
 */
function waitingForm(reply: Reply, ask: string | undefined): WaitingForm {
  const calls = parsed(ask)
  const answers = parsed(reply.body)
  if (calls === undefined || answers === undefined) return { reply, methods: [] }
  if (!Array.isArray(calls)) {
    const method = missingMethod(calls)
    if (method === undefined) return { reply, methods: [] }
    const body = formatted(notEnabled(answers), reply.body)
    const headers = {
      ...reply.headers,
      ...(reply.status === 0 ? {} : { 'content-type': 'application/json' }),
    }
    return {
      reply: reply.status === 0 ? { ...reply, body } : { ...reply, status: 200, reason: 'OK', headers, body },
      methods: [method],
    }
  }
  if (!Array.isArray(answers)) return { reply, methods: [] }
  const asked = calls.filter((call) => !isNotification(call))
  const methods = asked.map((call, at) => (isNotEnabled(answers[at]) ? undefined : missingMethod(call)))
  const now = answers.map((answer, at) => (methods[at] === undefined ? answer : notEnabled(answer)))
  const missing = methods.filter((method) => method !== undefined)
  return { reply: { ...reply, body: formatted(now, reply.body) }, methods: missing }
}

/** Recorded in this form, so it stays. */
function isNotEnabled(answer: unknown): boolean {
  return JSON.stringify(answer).includes('"code":-32604')
}

export function isNotificationText(text: string): boolean {
  return isNotification(parsed(text))
}

function isNotification(call: unknown): boolean {
  return typeof call === 'object' && call !== null && 'method' in call && !('id' in call)
}

function missingMethod(call: unknown): string | undefined {
  const { method } = (call ?? {}) as { method?: unknown }
  return typeof method === 'string' && isMissing(method) ? method : undefined
}

function notEnabled(answer: unknown): unknown {
  const { jsonrpc, id } = answer as { jsonrpc: string; id: unknown }
  return { jsonrpc, id, error: { code: -32604, message: 'Method not enabled' } }
}

/** Keeps numbers as written: 1.0 stays 1.0. Undefined if the text is not JSON. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  // Besu accepts a byte order mark and comments, and so does Cairn.
  const plain = text.replace(/^\uFEFF/, '').replace(/\/\*.*?\*\//g, '')
  try {
    return JSON.parse(plain, keepNumbers)
  } catch {
    return undefined
  }
}

const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown }

function keepNumbers(_name: string, value: unknown, context?: { readonly source: string }): unknown {
  return typeof value === 'number' && context !== undefined ? rawJSON(context.source) : value
}

/** Indents like Besu if the recorded text is indented. */
function formatted(value: unknown, like: string): string {
  return like.includes('\n')
    ? JSON.stringify(value, null, 2).replace(/^( *"\w+"): /gm, '$1 : ')
    : JSON.stringify(value)
}
