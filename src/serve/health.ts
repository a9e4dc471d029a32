import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { formatJson } from '#types/json/json-format.ts'
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'
import { queryParameter } from './request-target.ts'

/** Whoever asks after the node's health shall hear soon, also when the main thread does not answer. */
const FACTS_DEADLINE_MS = 2_000
/** Answers may be as old as this. */
const FACTS_AGE_MS = 1_000
const MIN_PEERS_DEFAULT = 1
const MAX_BLOCKS_BEHIND_DEFAULT = 2

export interface HealthFacts {
  /** Null when p2p is off: peers are not judged. */
  readonly peers: number | null
  /** Null while the node has no sync status: sync is not judged. */
  readonly blocksBehind: number | null
  /** Why the chain stands still; null: it does not, or this node makes no blocks. */
  readonly stalled: string | null
  /** Why this validator signs nothing yet; null: it does, or is none. */
  readonly abstains: string | null
  /** Why the signer of the node cannot be used; null: it can, or there is none. */
  readonly signer?: string | null
  /** Plugins whose own check fails, and what they say of it. */
  readonly failing?: readonly { readonly name: string; readonly cause: string }[]
}

/** The live rooms' answer; on a server thread a question to main. */
export type HealthSource = (signal: AbortSignal) => Promise<HealthFacts>

export interface HealthAnswer {
  readonly isUp: boolean
  readonly body: string
}

export const LIVENESS: HealthAnswer = { isUp: true, body: formatJson(new JsonObject([['status', 'UP']])) }

/**
 * Asks the source at most once in a second, however many ask: they share its answer, and the one that is on its way. Health
 * checks reach the main thread and plugins, which have better things to do.
 */
export function shareFacts(source: () => Promise<HealthFacts>, clock: Clock): () => Promise<HealthFacts> {
  let last: { readonly facts: Promise<HealthFacts>; readonly untilMs: number } | undefined
  return () => {
    if (last === undefined || clock.monotonicMs() >= last.untilMs) {
      const asked = { facts: source(), untilMs: Number.POSITIVE_INFINITY }
      const keep = (untilMs: number): void => {
        if (last === asked) last = { ...asked, untilMs }
      }
      last = asked
      asked.facts.then(
        () => keep(clock.monotonicMs() + FACTS_AGE_MS),
        () => keep(0),
      )
    }
    return last.facts
  }
}

export async function readiness(url: string, source: HealthSource, clock: Clock): Promise<HealthAnswer> {
  const deadline = deadlineSignal(clock, FACTS_DEADLINE_MS)
  try {
    return judge(url, await Promise.race([source(deadline), rejection(deadline)]))
  } catch {
    // A node that cannot say how it is, is not ready.
    return { isUp: false, body: formatJson(new JsonObject([['status', 'DOWN']])) }
  } finally {
    deadline.clear()
  }
}

function judge(url: string, facts: HealthFacts): HealthAnswer {
  const minPeers = wholeNumber(queryParameter(url, 'minPeers'), MIN_PEERS_DEFAULT)
  const maxBehind = wholeNumber(queryParameter(url, 'maxBlocksBehind'), MAX_BLOCKS_BEHIND_DEFAULT)
  const checks = new JsonObject()
  // An invalid parameter makes the node not ready even where its check does not apply, as Besu.
  let isUp = minPeers.value !== null && maxBehind.value !== null
  if (facts.peers !== null) {
    const passes = minPeers.value !== null && facts.peers >= minPeers.value
    isUp &&= passes
    checks.set('peers', check(passes, ['currentPeers', facts.peers], ['requiredPeers', 'minPeers'], minPeers))
  }
  if (facts.blocksBehind !== null) {
    const passes = maxBehind.value !== null && facts.blocksBehind <= maxBehind.value
    isUp &&= passes
    const names = ['maxBlocksBehind', 'maxBlocksBehind'] as const
    checks.set('sync', check(passes, ['blocksBehind', facts.blocksBehind], names, maxBehind))
  }
  // The reference has no such checks: they are shown only where they fail.
  const failed = [
    ['chain', facts.stalled],
    ['validator', facts.abstains],
    ['signer', facts.signer ?? null],
    ...(facts.failing ?? []).map(({ name, cause }) => [`plugin ${name}`, cause] as const),
  ] as const
  for (const [name, cause] of failed) {
    if (cause === null) continue
    isUp = false
    checks.set(name, failure(cause))
  }
  const answer = new JsonObject([['status', isUp ? 'UP' : 'DOWN']])
  if (checks.size > 0) answer.set('checks', checks)
  return { isUp, body: formatJson(answer) }
}

/** Anyone may ask: places inside the network, and the credentials that a URL may hold, are for the log only. */
const PLACES =
  /\b[a-z][a-z\d+.-]*:\/\/[^\s'"<>)\]]+|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[\da-f:.]+\](?::\d+)?/gi

function failure(cause: string): JsonValue {
  const row = new JsonObject([['status', false] as [string, JsonValue]])
  row.set('cause', cause.replaceAll(PLACES, '[see the log]'))
  return row
}

interface Parameter {
  readonly text: string
  /** Null: not a whole number from 0. */
  readonly value: number | null
}

function check(
  passes: boolean,
  [factName, fact]: readonly [string, number],
  [limitName, parameterName]: readonly [string, string],
  limit: Parameter,
): JsonValue {
  const row = new JsonObject([['status', passes] as [string, JsonValue]])
  row.set(factName, new JsonNumber(String(fact)))
  if (limit.value !== null) row.set(limitName, new JsonNumber(String(limit.value)))
  else row.set('error', `invalid ${parameterName} parameter: ${limit.text}`)
  return row
}

function wholeNumber(text: string | null, whenAbsent: number): Parameter {
  if (text === null) return { text: '', value: whenAbsent }
  const value = /^\+?\d{1,10}$/.test(text) ? Number(text) : null
  return { text, value }
}

function rejection(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return promise
}
