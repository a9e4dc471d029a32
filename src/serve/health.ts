import { type Clock, deadlineSignal } from '#platform/clock.ts'
import { formatJson } from '#types/json/json-format.ts'
import { JsonNumber, JsonObject, type JsonValue } from '#types/json/json-value.ts'
import { queryParameter } from './request-target.ts'

/** A health check is answered soon, even if the main thread does not answer. */
const FACTS_DEADLINE_MS = 2_000
/** Maximum age of a shared answer. */
const FACTS_AGE_MS = 1_000
const MIN_PEERS_DEFAULT = 1
const MAX_BLOCKS_BEHIND_DEFAULT = 2

export interface HealthFacts {
  /** Null if p2p is off; peers are not checked then. */
  readonly peers: number | null
  /** Null while the node has no sync status; sync is not checked then. */
  readonly blocksBehind: number | null
  /** The reason why the chain is stalled; null if it is not, or if this node is not a validator. */
  readonly stalled: string | null
  /** The reason why this validator does not sign yet; null if it does, or if this node is not a validator. */
  readonly abstains: string | null
  /** The reason why the node's signer cannot be used; null if it can, or if there is none. */
  readonly signer?: string | null
  /** Plugins whose own health check fails, and the cause. */
  readonly failing?: readonly { readonly name: string; readonly cause: string }[]
}

/** Collects the facts from the live rooms; a server thread asks the main thread. */
export type HealthSource = (signal: AbortSignal) => Promise<HealthFacts>

export interface HealthAnswer {
  readonly isUp: boolean
  readonly body: string
}

export const LIVENESS: HealthAnswer = { isUp: true, body: formatJson(new JsonObject([['status', 'UP']])) }

/**
 * Asks the source at most once per second. All callers share its answer, also a pending one, because a health check
 * reaches the main thread and plugins.
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
    // A node that cannot report its health is not ready.
    return { isUp: false, body: formatJson(new JsonObject([['status', 'DOWN']])) }
  } finally {
    deadline.clear()
  }
}

function judge(url: string, facts: HealthFacts): HealthAnswer {
  const minPeers = wholeNumber(queryParameter(url, 'minPeers'), MIN_PEERS_DEFAULT)
  const maxBehind = wholeNumber(queryParameter(url, 'maxBlocksBehind'), MAX_BLOCKS_BEHIND_DEFAULT)
  const checks = new JsonObject()
  // As in Besu, an invalid parameter makes the node not ready even if its check does not apply.
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
  // Besu has no such checks, so they are shown only if they fail.
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

/** Health is public: addresses inside the network, and credentials in URLs, are only for the log. */
const PLACES =
  /\b[a-z][a-z\d+.-]*:\/\/[^\s'"<>)\]]+|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b|\[[\da-f:.]+\](?::\d+)?/gi

function failure(cause: string): JsonValue {
  const row = new JsonObject([['status', false] as [string, JsonValue]])
  row.set('cause', cause.replaceAll(PLACES, '[see the log]'))
  return row
}

interface Parameter {
  readonly text: string
  /** Null if the text is not an integer from 0. */
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
