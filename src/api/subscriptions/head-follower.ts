import { API_PROBLEMS } from '#api/log-problems.ts'
import type { HeadsSource } from '#api/resources.ts'
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { HeadEvent } from './head-event.ts'
import { markOf, stepTowards } from './head-step.ts'
import { Pace } from './pace.ts'

export interface FollowerParts {
  readonly chain: ChainView
  readonly heads: HeadsSource
  readonly clock: Clock
  readonly log: Log
}

export type HeadListener = (event: HeadEvent) => void

/** Listeners at the same block, usually all. A listener that joins while others are behind gets its own group. */
interface Group {
  /** The block that the listeners heard of last, or are hearing of. */
  position: HeadMark
  readonly listeners: Set<HeadListener>
}

/** Follows the head block by block, for all subscriptions of a server at once, and only while there are some. */
export class HeadFollower {
  readonly #parts: FollowerParts
  readonly #groups = new Set<Group>()
  readonly #groupOf = new Map<HeadListener, Group>()
  /** The listeners that hear of a block before the others of their group. */
  readonly #first = new WeakSet<HeadListener>()
  #head: HeadMark | undefined
  #stopListening: (() => void) | undefined
  #isWalking = false

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  /** Reports the blocks after `position`, or first its removal if it has left the chain. Returns `leave`. */
  join(listener: HeadListener, position = markOf(this.#parts.chain.head())): () => void {
    this.#begin()
    let group = this.#groups.values().find((each) => each.position.hash === position.hash)
    if (group === undefined) {
      group = { position, listeners: new Set() }
      this.#groups.add(group)
    }
    group.listeners.add(listener)
    this.#groupOf.set(listener, group)
    void this.#walk()
    return () => this.leave(listener)
  }

  /** For listeners with little work, so none waits for thousands of log filters. */
  joinFirst(listener: HeadListener): () => void {
    this.#first.add(listener)
    return this.join(listener)
  }

  leave(listener: HeadListener): void {
    const group = this.#groupOf.get(listener)
    if (group === undefined) return
    this.#groupOf.delete(listener)
    group.listeners.delete(listener)
    if (group.listeners.size === 0) this.#groups.delete(group)
    if (this.#groupOf.size > 0) return
    this.#stopListening?.()
    this.#head = undefined
  }

  #begin(): void {
    if (this.#head !== undefined) return
    const { chain, heads } = this.#parts
    this.#head = markOf(chain.head())
    this.#stopListening = heads.onMoved((head) => {
      this.#head = head
      void this.#walk()
    })
  }

  /** Never rejects. */
  async #walk(): Promise<void> {
    if (this.#isWalking) return
    this.#isWalking = true
    const pace = new Pace(this.#parts.clock)
    try {
      while (await this.#round(pace));
    } catch (err) {
      this.#parts.log.error(API_PROBLEMS.blockNotificationFailed, { err })
    } finally {
      this.#isWalking = false
    }
  }

  /** One block for each group behind the head. Returns false if there is none. */
  async #round(pace: Pace): Promise<boolean> {
    let hasMoved = false
    for (const group of this.#groups) {
      if (this.#head === undefined) return false
      const step = stepTowards(this.#parts.chain, group.position, this.#head)
      if (step === undefined) continue
      hasMoved = true
      // A listener that joins while the others hear of this block is behind it.
      group.position = step.position
      const event = new HeadEvent(this.#parts.chain, step)
      for (const listener of this.#inOrder(group)) {
        if (group.listeners.has(listener)) listener(event)
        // Without a rest, the next listener does not wait for the microtask queue.
        const rest = pace.rest()
        if (rest !== undefined) await rest
      }
    }
    this.#merge()
    return hasMoved
  }

  #inOrder({ listeners }: Group): HeadListener[] {
    const all = [...listeners]
    return [...all.filter((each) => this.#first.has(each)), ...all.filter((each) => !this.#first.has(each))]
  }

  #merge(): void {
    if (this.#groups.size < 2) return
    const byPosition = new Map<string, Group>()
    for (const group of this.#groups) {
      const first = byPosition.get(group.position.hash)
      if (first === undefined) {
        byPosition.set(group.position.hash, group)
        continue
      }
      for (const listener of group.listeners) {
        first.listeners.add(listener)
        this.#groupOf.set(listener, first)
      }
      this.#groups.delete(group)
    }
  }
}
