/**
 * A contract's events (contract.ts), which its owner publishes. They cross to another thread as a stream of batches,
 * which is open only while that thread listens and flows at the listener's pace. The backlog is bounded: the oldest items
 * are dropped first, and the next batch says how many.
 */
import { createBoundedQueue } from '#platform/channel/bounded-queue.ts'
import { nextTurn } from './next-turn.ts'
import type { Signal } from './signal.ts'

/** The declaration of one kind of event. Items are cloned, so they are plain data. */
export interface EventRow<Item> {
  readonly isEvent: true
  /** The size of an item, for the limits below. */
  readonly bytesOf: (item: Item) => number
}

export interface EventBatch<Item> {
  readonly items: readonly Item[]
  /** The number of items dropped before these because the listener was too slow. */
  readonly missed: number
}

/** Publishes several items at once. */
export type EventOwner<Item> = Pick<Signal<readonly Item[]>, 'subscribe'>

/** The backlog of one listener. */
const WAITING_MAX = 20_000
const WAITING_MAX_BYTES = 16 * 1024 * 1024
const BATCH_MAX = 1_000
const BATCH_MAX_BYTES = 512 * 1024

/** Listens from the first `next()` until the signal aborts, then throws its reason. */
export async function* listenToOwner<Item extends NonNullable<unknown>>(
  owner: EventOwner<Item>,
  { bytesOf }: EventRow<Item>,
  signal: AbortSignal,
): AsyncGenerator<EventBatch<Item>, void, undefined> {
  const limits = { itemsMax: WAITING_MAX, bytesMax: WAITING_MAX_BYTES, sizeOf: bytesOf }
  const waiting = createBoundedQueue<Item>(limits)
  let missed = 0
  const stop = owner.subscribe((items) => {
    for (const item of items) {
      // The newest items matter most. An item larger than the queue is dropped itself.
      while (!waiting.push(item)) {
        missed++
        if (waiting.shift() === undefined) break
      }
    }
  })
  try {
    for (;;) {
      const items: Item[] = [await waiting.take(signal)]
      // Items published in the same turn share a batch.
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
