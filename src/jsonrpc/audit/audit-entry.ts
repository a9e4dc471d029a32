/** Audit entries: caller, call, outcome and change, without secrets and within limits. */
import type { CallContext } from '#jsonrpc/dispatcher.ts'
import { sha256Of } from './audit-line.ts'

/** Subjects of changes. Calls with one subject run one after another, so each entry has its own difference. */
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

/** The state that a call may change, at one moment. For lists only the difference is recorded. */
export type Observed = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface AuditEntry {
  readonly user: string | null
  /** Null for the embedding program and for plugins. */
  readonly remoteAddress: string | null
  readonly requestId: string
  readonly method: string
  readonly params: unknown
}

export type AuditOutcome =
  | (Observations & { readonly result: unknown })
  | (Observations & { readonly error: { readonly code: number; readonly message: string } })
  /** The serving thread ended or took too long. */
  | { readonly outcome: 'unknown' }

interface Observations {
  /** Absent if the call was refused before anything was observed. */
  readonly before?: unknown
  readonly after?: unknown
}

const MAX_PARAMS_CHARACTERS = 64 * 1024
const MAX_RESULT_CHARACTERS = 16 * 1024
const MAX_OBSERVED_CHARACTERS = 128 * 1024
const MAX_NAME_CHARACTERS = 256

const SECRET_NAME = /pass(word|phrase)?$|secret|token|credential|private-?key|api-?key/i
const SECRET_IN_URL = /(:\/\/)[^/@\s:]*:[^/@\s]*@/g

export function entryOf(
  method: string,
  params: readonly unknown[],
  { caller, remoteAddress, requestId }: Pick<CallContext, 'caller' | 'remoteAddress' | 'requestId'>,
): AuditEntry {
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

/** A longer value is replaced by its hash: lines stay readable, and the value can still be proven. */
function within(value: unknown, maxCharacters: number): unknown {
  const text = JSON.stringify(value) ?? 'null'
  return text.length <= maxCharacters
    ? value
    : { leftOut: { characters: text.length, sha256: sha256Of(text) } }
}
