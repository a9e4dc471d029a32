/** Asks plugins about transactions and peers: several transactions per call, and never longer than declared. */
import type { DeclaredRule } from '#plugins/declaration.ts'
import type { BlockTerms, CandidateTransaction, OfferedPeer, Verdict } from '#plugins/define-plugin.ts'
import { MAX_VERDICT_CHARACTERS, type SentTransaction } from '#plugins/plugin-protocol.ts'
import type { PluginHost } from './plugin-host.ts'
import type { PluginSet } from './plugin-set.ts'

/** Transactions per call. */
const MAX_BATCH = 512
/** Their encodings are copied on main. */
const MAX_BATCH_BYTES = 1024 * 1024
const UNANSWERED = 'The plugin that decides it does not answer.'

type JudgeOffered = (transactions: readonly SentTransaction[]) => Promise<readonly Verdict[]>

/** Undefined if no plugin has such a rule. The first refusal counts. */
export function createAdmission(plugins: PluginSet): JudgeOffered | undefined {
  const judges = plugins.hosts.flatMap((host) => {
    const rule = host.declaration.admission
    return rule === null ? [] : [new Batches(host, rule)]
  })
  if (judges.length === 0) return undefined
  return async (transactions) => {
    const verdicts = await Promise.all(judges.map((judge) => judge.judge(transactions)))
    return transactions.map((_, index) => combine(verdicts.map((each) => each[index]!)))
  }
}

export type JudgeSelection = (
  transactions: readonly CandidateTransaction[],
  block: BlockTerms,
  deadlineMs: number,
) => Promise<readonly Verdict[]>

/** `deadlineMs` is the remaining time for the block. */
export function createSelection(
  plugins: PluginSet,
): { readonly judge: JudgeSelection; readonly deadlineMs: number } | undefined {
  const asked = plugins.hosts.filter(({ declaration }) => declaration.selection !== null)
  if (asked.length === 0) return undefined
  return {
    deadlineMs: Math.max(...asked.map(({ declaration }) => declaration.selection!.deadlineMs)),
    judge: async (transactions, block, deadlineMs) => {
      const verdicts = await Promise.all(
        asked.map(async (host) => {
          const rule = host.declaration.selection!
          if (deadlineMs < 1) return transactions.map(() => failed(rule))
          const answer = await host.ask('selection', { transactions, block }, Math.ceil(deadlineMs))
          return checked(host, 'selection', rule, transactions.length, answer.ok ? answer.value : undefined)
        }),
      )
      return transactions.map((_, index) => combine(verdicts.map((each) => each[index]!)))
    },
  }
}

/** Undefined if no plugin has such a rule. */
export function createConnectionRule(
  plugins: PluginSet,
): ((peer: OfferedPeer) => Promise<boolean>) | undefined {
  const asked = plugins.hosts.filter(({ declaration }) => declaration.connections !== null)
  if (asked.length === 0) return undefined
  return async (peer) => {
    const verdicts = await Promise.all(
      asked.map(async (host) => {
        const { onFailure, deadlineMs } = host.declaration.connections!
        const answer = await host.ask('connections', peer, deadlineMs)
        return answer.ok ? answer.value === true : onFailure === 'admit'
      }),
    )
    return verdicts.every(Boolean)
  }
}

/** Transactions submitted together. */
interface Waiting {
  readonly transactions: readonly SentTransaction[]
  readonly decide: (verdicts: readonly Verdict[]) => void
}

/** While one call is pending, the next batch grows, so a busy node makes few, large calls. */
class Batches {
  readonly #host: PluginHost
  readonly #rule: DeclaredRule
  #waiting: Waiting[] = []
  #isAsking = false

  constructor(host: PluginHost, rule: DeclaredRule) {
    this.#host = host
    this.#rule = rule
  }

  async judge(transactions: readonly SentTransaction[]): Promise<readonly Verdict[]> {
    const parts: Promise<readonly Verdict[]>[] = []
    for (let from = 0; from < transactions.length; ) {
      const count = fittingCount(transactions.slice(from).map((each) => [each]))
      parts.push(this.#wait(transactions.slice(from, from + count)))
      from += count
    }
    return (await Promise.all(parts)).flat()
  }

  #wait(transactions: readonly SentTransaction[]): Promise<readonly Verdict[]> {
    const { promise, resolve } = Promise.withResolvers<readonly Verdict[]>()
    this.#waiting.push({ transactions, decide: resolve })
    if (!this.#isAsking) void this.#ask()
    return promise
  }

  async #ask(): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.length > 0) {
      const together = this.#take()
      const transactions = together.flatMap((each) => each.transactions)
      const answer = await this.#host.ask('admission', transactions, this.#rule.deadlineMs)
      const given = answer.ok ? answer.value : undefined
      const verdicts = checked(this.#host, 'admission', this.#rule, transactions.length, given)
      let from = 0
      for (const { transactions: own, decide } of together) {
        decide(verdicts.slice(from, from + own.length))
        from += own.length
      }
    }
    this.#isAsking = false
  }

  /** Takes as many as fit into one call. */
  #take(): readonly Waiting[] {
    return this.#waiting.splice(0, fittingCount(this.#waiting.map(({ transactions }) => transactions)))
  }
}

/** How many groups of transactions fit into one call; at least one, however large. */
export function fittingCount(
  groups: readonly (readonly { readonly encoded: Pick<Uint8Array, 'length'> }[])[],
): number {
  let [count, bytes] = [0, 0]
  const end = groups.findIndex((group, index) => {
    count += group.length
    for (const { encoded } of group) bytes += encoded.length
    return index > 0 && (count > MAX_BATCH || bytes > MAX_BATCH_BYTES)
  })
  return end === -1 ? groups.length : end
}

function checked(
  host: PluginHost,
  hook: string,
  rule: DeclaredRule,
  count: number,
  given: readonly Verdict[] | undefined,
): readonly Verdict[] {
  if (given === undefined) return Array.from({ length: count }, () => failed(rule))
  const isUsable =
    Array.isArray(given) &&
    given.length === count &&
    Array.from(given).every((verdict) => verdict === true || typeof verdict === 'string')
  if (isUsable) return given
  host.noteUnusable(hook, `It must give ${count} verdicts, each true or a sentence`)
  return Array.from({ length: count }, () => failed(rule))
}

function failed({ onFailure }: DeclaredRule): Verdict {
  return onFailure === 'admit' ? true : UNANSWERED
}

function combine(verdicts: readonly Verdict[]): Verdict {
  const refusal = verdicts.find((verdict) => verdict !== true)
  return refusal === undefined ? true : String(refusal).slice(0, MAX_VERDICT_CHARACTERS)
}
