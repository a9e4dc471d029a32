import type { FoundLog, LogPattern } from '#chain/read/logs.ts'
import { matcherOf } from '#chain/read/logs.ts'

/**
 * The logs of a block by address and topic. Thousands of filters are matched against the logs of every block, and most
 * name an address or a topic that no log of the block has.
 */
export class BlockLogs {
  readonly #logs: readonly FoundLog[]
  /** By address, then by the topic of each position, made when a filter needs them. */
  readonly #positions: Map<string, FoundLog[]>[] = []
  readonly #byTopicCount: (readonly FoundLog[])[] = []

  constructor(logs: readonly FoundLog[]) {
    this.#logs = logs
  }

  /** Returns the matching logs in the order of the block. */
  matching(pattern: LogPattern): readonly FoundLog[] {
    if (this.#logs.length === 0) return this.#logs
    const { addresses, topics } = pattern
    let candidates = this.#withTopics(topics.length)
    for (const [position, values] of [addresses, ...topics].entries()) {
      if (values.length > 0) candidates = this.#narrowed(candidates, position, values)
      if (candidates.length === 0) return candidates
    }
    const matches = matcherOf(pattern)
    return candidates.filter(({ log }) => matches(log))
  }

  /** Returns `candidates`, or the logs with one of the values if there are fewer. */
  #narrowed(
    candidates: readonly FoundLog[],
    position: number,
    values: readonly string[],
  ): readonly FoundLog[] {
    if (values.length > candidates.length) return candidates
    const byValue = this.#at(position)
    if (values.length === 1) return fewer(byValue.get(values[0]!) ?? [], candidates)
    const found: FoundLog[] = []
    // A value may be named twice.
    for (const value of new Set(values)) {
      const logs = byValue.get(value) ?? []
      if (found.length + logs.length >= candidates.length) return candidates
      found.push(...logs)
    }
    return found.sort((a, b) => a.index - b.index)
  }

  #at(position: number): Map<string, FoundLog[]> {
    const known = this.#positions[position]
    if (known !== undefined) return known
    const byValue = new Map<string, FoundLog[]>()
    for (const found of this.#logs) {
      const { address, topics } = found.log
      const value = position === 0 ? address : topics[position - 1]
      if (value === undefined) continue
      const logs = byValue.get(value)
      if (logs === undefined) byValue.set(value, [found])
      else logs.push(found)
    }
    this.#positions[position] = byValue
    return byValue
  }

  #withTopics(count: number): readonly FoundLog[] {
    this.#byTopicCount[count] ??= this.#logs.filter(({ log }) => log.topics.length >= count)
    return this.#byTopicCount[count]
  }
}

function fewer(some: readonly FoundLog[], others: readonly FoundLog[]): readonly FoundLog[] {
  return some.length < others.length ? some : others
}
