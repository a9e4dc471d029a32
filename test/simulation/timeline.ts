/** Virtual time: the next due event happens next, and events due at once happen in the order of planning. */
export interface Ticket {
  isCancelled: boolean
}

interface Planned extends Ticket {
  readonly dueMs: number
  readonly order: number
  readonly run: () => void
}

export class Timeline {
  nowMs = 0
  readonly #heap: Planned[] = []
  #planned = 0

  after(delayMs: number, run: () => void): Ticket {
    const planned = {
      dueMs: this.nowMs + Math.max(0, delayMs),
      order: this.#planned++,
      run,
      isCancelled: false,
    }
    this.#push(planned)
    return planned
  }

  /** Returns false if nothing is planned. */
  step(): boolean {
    for (;;) {
      const next = this.#pop()
      if (next === undefined) return false
      if (next.isCancelled) continue
      this.nowMs = next.dueMs
      next.run()
      return true
    }
  }

  #push(planned: Planned): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(planned)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(planned, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = planned
  }

  #pop(): Planned | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (first === undefined || last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order)
}
