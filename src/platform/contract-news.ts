/**
 * News of a contract (contract-table.ts): what its owner tells as it happens. It crosses to another thread as a stream of batches
 * that is open only while somebody there listens, as fast as it is taken there. What waits is bounded: the oldest is lost
 * first, and the next batch says how many were.
 */
import { createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import { nextTurn } from './next-turn.ts'
import type { Signal } from './signal.ts'

/** Of one row of news. Items are cloned, so they are plain data. */
export interface NewsRow<Item> {
  readonly isNews: true
  /** What an item takes, for the limits below. */
  readonly bytesOf: (item: Item) => number
}

export interface NewsBatch<Item> {
  /** In the order in which they were told. */
  readonly items: readonly Item[]
  /** How many before these were lost because they were not taken soon enough. */
  readonly missed: number
}

/** Who tells: several at once, as they come. */
export type NewsOwner<Item> = Pick<Signal<readonly Item[]>, 'subscribe'>

/** What waits for one listener. */
const WAITING_MAX = 20_000
const WAITING_MAX_BYTES = 16 * 1024 * 1024
const BATCH_MAX = 1_000
const BATCH_MAX_BYTES = 512 * 1024

/** From the first `next()` until the signal aborts, which it throws. */
export async function* listenToOwner<Item extends NonNullable<unknown>>(
  owner: NewsOwner<Item>,
  { bytesOf }: NewsRow<Item>,
  signal: AbortSignal,
): AsyncGenerator<NewsBatch<Item>, void, undefined> {
  const limits = { itemsMax: WAITING_MAX, bytesMax: WAITING_MAX_BYTES, sizeOf: bytesOf }
  const waiting = createBoundedQueue<Item>(limits)
  let missed = 0
  const stop = owner.subscribe((items) => {
    for (const item of items) {
      // The newest matter most. One that never fits is lost itself.
      while (!waiting.push(item)) {
        missed++
        if (waiting.shift() === undefined) break
      }
    }
  })
  try {
    for (;;) {
      const items: Item[] = [await waiting.take(signal)]
      // What is told in the same turn goes together.
      await nextTurn()
      let bytes = bytesOf(items[0]!)
      while (items.length < BATCH_MAX && bytes < BATCH_MAX_BYTES) {
        const item = waiting.shift()
        if (item === undefined) break
        bytes += bytesOf(item)
        items.push(item)
      }
      const lost = missed
      missed = 0
      yield { items, missed: lost }
    }
  } finally {
    stop()
  }
}
