import { assert } from '#types/assert.ts'
import type { Outcome } from '../suite.ts'
import type { RecordedEntry } from './entry.ts'
import { inParallel } from './in-parallel.ts'
import { playHttp } from './play-raw.ts'
import type { IssuedTokens } from './recorded-tokens.ts'
import type { NodePorts } from './start-node.ts'
import { decodeClaims } from './token-text.ts'
import type { Transcript } from './transcript.ts'

const LOGIN = /^(HTTP|WS-port) login (\w+)$/
const DECODED = /^decoded token of (\w+)$/
const TOKEN_LIFE_SECONDS = 300
const PARALLEL = 8

export interface LoggedIn {
  /** Our token for each recorded one. */
  readonly issued: IssuedTokens
  /** Our node's answer for each entry. */
  readonly answers: ReadonlyMap<RecordedEntry, Transcript>
}

/** The recorded logins whose tokens are used later. */
export function isTokenLogin({ note }: RecordedEntry): boolean {
  return LOGIN.test(note)
}

/** Logs in as recorded. */
export async function logIn(ports: NodePorts, logins: readonly RecordedEntry[]): Promise<LoggedIn> {
  const answers = new Map<RecordedEntry, Transcript>()
  const pairs = await inParallel(logins, PARALLEL, async (entry) => {
    const port = LOGIN.exec(entry.note)![1] === 'HTTP' ? ports.http : ports.ws
    const transcript = await playHttp(port, entry)
    answers.set(entry, transcript)
    return [tokenIn(entry.response), tokenIn(transcript.replies[0]?.body)] as const
  })
  return { issued: new Map(pairs), answers }
}

/** True if a login's token has a grant that `changes` would change. */
export function grantsAny({ response }: RecordedEntry, changes: (grant: string) => boolean): boolean {
  const { permissions } = decodeClaims(tokenIn(response).split('.')[1]) ?? {}
  return Array.isArray(permissions) && permissions.some(changes)
}

function tokenIn(body: string | null | undefined): string {
  const { token } = JSON.parse(body ?? '') as { token?: unknown }
  assert(typeof token === 'string', 'a login gives a token')
  return token
}

/** Judges an entry with a token's content: our token for the same login must have the same content. */
export function decodedTokenOutcome(
  unit: string,
  { note, header, payload = {} }: RecordedEntry,
  entries: readonly RecordedEntry[],
  issued: IssuedTokens,
): Outcome {
  const [, user] = DECODED.exec(note) ?? []
  const login = entries.find((entry) => entry.note === `HTTP login ${user}`)
  const [ourHeader, ourPayload] = (issued.get(tokenIn(login?.response)) ?? '').split('.')
  const ours = { header: decodeClaims(ourHeader), payload: decodeClaims(ourPayload) ?? {} }
  const [expected, actual] = [{ header, payload }, ours].map(withoutTimes)
  if (expected === actual) return { unit, status: 'met' }
  return { unit, status: 'failed', reason: `the token says ${actual}, expected ${expected}` }
}

function withoutTimes({
  header,
  payload,
}: {
  header?: object | undefined
  payload: Readonly<Record<string, unknown>>
}): string {
  const { iat, exp, ...claims } = payload
  const lives = Number(exp) - Number(iat)
  assert(lives === TOKEN_LIFE_SECONDS, `a token lives ${TOKEN_LIFE_SECONDS} s, this one ${lives} s`)
  return JSON.stringify({ header, claims })
}
