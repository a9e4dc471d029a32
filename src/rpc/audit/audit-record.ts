/** What the audit log says of a call: who, what, how it ended and what it changed, without secrets and within limits. */
import type { CallContext } from '#rpc/dispatch/dispatcher.ts'
import { sha256Of } from './audit-line.ts'

/** What a call changes. Calls of one kind follow each other, so that each is told what it changed itself. */
export const CHANGE_SUBJECTS = [
  'peers',
  'log levels',
  'head',
  'block making',
  'allowlists',
  'votes',
  'plugins',
] as const

export type ChangeSubject = (typeof CHANGE_SUBJECTS)[number]

/** What a call may change, as it is at a moment. Of lists, only what came and went is recorded. */
export type Observed = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface AuditRecord {
  readonly user: string | null
  /** Null: the program that the node is part of, or a plugin. */
  readonly remoteAddress: string | null
  readonly requestId: string
  readonly method: string
  readonly params: unknown
}

export type AuditOutcome =
  | (Observations & { readonly result: unknown })
  | (Observations & { readonly error: { readonly code: number; readonly message: string } })
  /** The thread that served the call ended, or took too long. */
  | { readonly outcome: 'unknown' }

interface Observations {
  /** Absent where the call was refused before anything was looked at. */
  readonly before?: unknown
  readonly after?: unknown
}

const MAX_PARAMS_CHARACTERS = 64 * 1024
const MAX_RESULT_CHARACTERS = 16 * 1024
const MAX_OBSERVED_CHARACTERS = 128 * 1024
const MAX_NAME_CHARACTERS = 256

const SECRET_NAME = /pass(word|phrase)?$|secret|token|credential|private-?key|api-?key/i
/** A name and a password in a URL. */
const SECRET_IN_URL = /(:\/\/)[^/@\s:]*:[^/@\s]*@/g

export function recordOf(
  method: string,
  params: readonly unknown[],
  { caller, remoteAddress, requestId }: Pick<CallContext, 'caller' | 'remoteAddress' | 'requestId'>,
): AuditRecord {
  return {
    user: caller.user?.slice(0, MAX_NAME_CHARACTERS) ?? null,
    remoteAddress: remoteAddress ?? null,
    requestId,
    method,
    params: within(withoutSecrets(params), MAX_PARAMS_CHARACTERS),
  }
}

export function recordedResult(result: unknown): unknown {
  return within(withoutSecrets(result), MAX_RESULT_CHARACTERS)
}

/** Only what differs. */
export function recordedChange(before: Observed, after: Observed): Observations {
  const was: Record<string, unknown> = {}
  const is: Record<string, unknown> = {}
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [old, fresh] = [before[name] ?? null, after[name] ?? null]
    if (JSON.stringify(old) === JSON.stringify(fresh)) continue
    if (SECRET_NAME.test(name)) {
      was[name] = '[secret]'
      is[name] = '[another secret]'
    } else if (Array.isArray(old) && Array.isArray(fresh)) {
      was[name] = { count: old.length, gone: withoutSecrets(without(old, fresh)) }
      is[name] = { count: fresh.length, came: withoutSecrets(without(fresh, old)) }
    } else {
      was[name] = withoutSecrets(old)
      is[name] = withoutSecrets(fresh)
    }
  }
  return { before: within(was, MAX_OBSERVED_CHARACTERS), after: within(is, MAX_OBSERVED_CHARACTERS) }
}

function without(entries: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return entries.filter((entry) => !known.has(entry))
}

function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(SECRET_IN_URL, '$1[secret]@')
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      SECRET_NAME.test(name) ? '[secret]' : withoutSecrets(member),
    ]),
  )
}

/** What is longer is named by its hash: lines stay readable, and whoever has the value can prove it. */
function within(value: unknown, maxCharacters: number): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= maxCharacters
    ? value
    : { leftOut: { characters: text.length, sha256: sha256Of(text) } }
}
