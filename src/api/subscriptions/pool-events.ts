import { API_PROBLEMS } from '#api/log-problems.ts'
import type { Clock } from '#platform/clock.ts'
import type { EventBatch } from '#platform/contract-events.ts'
import type { Log } from '#platform/log/log.ts'
import type { PendingTransaction } from '#pool/contract.ts'
import { formatData, formatQuantity } from '#types/hex.ts'
import { transactionV } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { Pace } from './pace.ts'

type Listen = (signal: AbortSignal) => AsyncIterable<EventBatch<PendingTransaction>>
type Listener = (pending: PendingTransaction, text: () => string) => void

/** Listeners between two looks at the clock, which costs more than most of them. */
const LISTENERS_PER_LOOK = 32

/** Pool events for the subscriptions of a server. Main sends them only while a client listens. */
export class PoolEvents {
  readonly #listen: Listen
  readonly #log: Log
  readonly #clock: Clock
  readonly #listeners = new Set<Listener>()
  #leaving: AbortController | undefined

  constructor(listen: Listen, { log, clock }: { readonly log: Log; readonly clock: Clock }) {
    this.#listen = listen
    this.#log = log
    this.#clock = clock
  }

  /** Returns the function that unsubscribes. */
  join(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#leaving === undefined) {
      this.#leaving = new AbortController()
      void this.#hear(this.#leaving.signal)
    }
    return () => this.#leave(listener)
  }

  #leave(listener: Listener): void {
    if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return
    this.#leaving?.abort()
    this.#leaving = undefined
  }

  async #hear(signal: AbortSignal): Promise<void> {
    try {
      for await (const { items, missed } of this.#listen(signal)) {
        if (missed > 0) this.#log.warn(API_PROBLEMS.pendingNewsDropped, { missed })
        await this.#tellAll(items)
      }
    } catch (err) {
      if (!signal.aborted) this.#log.error(API_PROBLEMS.pendingNewsEnded, { err })
    }
  }

  /** Listeners that join meanwhile hear of the next batch. */
  async #tellAll(items: readonly PendingTransaction[]): Promise<void> {
    const pace = new Pace(this.#clock)
    const listeners = [...this.#listeners]
    let heard = 0
    for (const pending of items) {
      let text: string | undefined
      const textOnce = (): string => {
        text ??= pendingTransactionText(pending)
        return text
      }
      for (const listener of listeners) {
        if (this.#listeners.has(listener)) listener(pending, textOnce)
        const rest = ++heard % LISTENERS_PER_LOOK === 0 ? pace.rest() : undefined
        if (rest !== undefined) await rest
      }
    }
  }
}

/** A pending transaction as subscribers get it: fewer members than in a block, in Besu's order. */
function pendingTransactionText({ encoded, sender }: PendingTransaction): string {
  const transaction = decodeTransaction(encoded)
  const { type, yParity, r, s } = transaction
  return JSON.stringify({
    from: sender,
    gas: formatQuantity(transaction.gasLimit),
    gasPrice: 'gasPrice' in transaction ? formatQuantity(transaction.gasPrice) : undefined,
    hash: transaction.hash,
    input: formatData(transaction.data),
    nonce: formatQuantity(transaction.nonce),
    to: transaction.to ?? undefined,
    type: formatQuantity(type),
    value: formatQuantity(transaction.value),
    yParity: type === 0 ? undefined : formatQuantity(yParity),
    v: formatQuantity(transactionV(transaction, yParity)),
    r: formatQuantity(r),
    s: formatQuantity(s),
  })
}
