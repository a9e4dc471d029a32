import { platformFault } from '#platform/faults.ts'
import { assert } from '#types/assert.ts'

const FIRST_CAPACITY = 16

export interface QueueLimits<T> {
  readonly itemsMax: number
  /** An additional limit, which needs `sizeOf`. */
  readonly bytesMax?: number
  readonly sizeOf?: (item: T) => number
}

/** A first-in, first-out queue with limits. All operations take constant time. */
export interface BoundedQueue<T> {
  /** Returns false and changes nothing if the item does not fit or the queue is closed. */
  push(item: T): boolean
  /** Removes and returns the oldest item, if any. */
  shift(): T | undefined
  /** Resolves with the oldest item as soon as there is one. Several takers are served in order. */
  take(signal?: AbortSignal): Promise<T>
  /** Refuses further items and rejects waiting takers; queued items can still be taken. */
  close(): void
  readonly size: number
  readonly bytes: number
}

interface Taker<T> {
  readonly resolve: (item: T) => void
  readonly reject: (reason: unknown) => void
}

export function createBoundedQueue<T extends NonNullable<unknown>>(limits: QueueLimits<T>): BoundedQueue<T> {
  const { itemsMax, bytesMax = Number.POSITIVE_INFINITY, sizeOf = () => 0 } = limits
  assert(itemsMax >= 1, `a queue holds at least one item, not ${itemsMax}`)
  assert(limits.bytesMax === undefined || limits.sizeOf !== undefined, 'a queue with a byte limit has sizeOf')
  const ring = createRing<T>()
  const takers = new Set<Taker<T>>()
  let bytes = 0
  let isClosed = false

  const shift = (): T | undefined => {
    const item = ring.shift()
    if (item !== undefined) bytes -= sizeOf(item)
    return item
  }

  const push = (item: T): boolean => {
    const itemBytes = sizeOf(item)
    if (isClosed || ring.size >= itemsMax || bytes + itemBytes > bytesMax) return false
    // Takers wait only while the ring is empty, so the first of them gets this item.
    for (const taker of takers) {
      takers.delete(taker)
      taker.resolve(item)
      return true
    }
    ring.push(item)
    bytes += itemBytes
    return true
  }

  const wait = (signal: AbortSignal | undefined): Promise<T> => {
    const taker = Promise.withResolvers<T>()
    const onAbort = (): void => {
      takers.delete(taker)
      taker.reject(signal?.reason)
    }
    takers.add(taker)
    signal?.addEventListener('abort', onAbort, { once: true })
    return taker.promise.finally(() => signal?.removeEventListener('abort', onAbort))
  }

  return {
    push,
    shift,
    async take(signal) {
      signal?.throwIfAborted()
      const item = shift()
      if (item !== undefined) return item
      if (isClosed) throw closedFault()
      return await wait(signal)
    },
    close() {
      isClosed = true
      for (const taker of takers) taker.reject(closedFault())
      takers.clear()
    },
    get size() {
      return ring.size
    },
    get bytes() {
      return bytes
    },
  }
}

function closedFault() {
  return platformFault('QUEUE_CLOSED', { sentence: 'The queue was closed; nothing more will come.' })
}

/** A circular array that doubles when it is full, because Array.shift moves every remaining element. */
function createRing<T>() {
  let slots: (T | undefined)[] = new Array(FIRST_CAPACITY)
  let head = 0
  let size = 0
  return {
    push(item: T): void {
      if (size === slots.length) {
        slots = [...slots.slice(head), ...slots.slice(0, head), ...new Array(size)]
        head = 0
      }
      slots[(head + size) % slots.length] = item
      size += 1
    },
    shift(): T | undefined {
      if (size === 0) return undefined
      const item = slots[head]
      slots[head] = undefined
      head = (head + 1) % slots.length
      size -= 1
      return item
    },
    get size() {
      return size
    },
  }
}
