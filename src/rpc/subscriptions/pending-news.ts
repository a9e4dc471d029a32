/** News of the pool, for subscriptions of a server: heard from main only while somebody wants them. */

import type { NewsBatch } from '#platform/contract-news.ts'
import type { Log } from '#platform/log/log.ts'

/** Listens while it has members. */
export class PendingNews<Item, Member> {
  readonly #listen: (signal: AbortSignal) => AsyncIterable<NewsBatch<Item>>
  readonly #tell: (item: Item, members: ReadonlySet<Member>) => void
  readonly #log: Log
  readonly #members = new Set<Member>()
  #leaving: AbortController | undefined

  constructor(
    listen: (signal: AbortSignal) => AsyncIterable<NewsBatch<Item>>,
    tell: (item: Item, members: ReadonlySet<Member>) => void,
    log: Log,
  ) {
    this.#listen = listen
    this.#tell = tell
    this.#log = log
  }

  join(member: Member): void {
    this.#members.add(member)
    if (this.#leaving !== undefined) return
    this.#leaving = new AbortController()
    void this.#hear(this.#leaving.signal)
  }

  leave(member: Member): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return
    this.#leaving?.abort()
    this.#leaving = undefined
  }

  async #hear(signal: AbortSignal): Promise<void> {
    try {
      for await (const { items, missed } of this.#listen(signal)) {
        if (missed > 0)
          this.#log.warn('Subscribers were not told of some transactions: too many came at once.', { missed })
        for (const item of items) this.#tell(item, this.#members)
      }
    } catch (err) {
      if (!signal.aborted) this.#log.error('News of the pool have ended.', { err })
    }
  }
}
