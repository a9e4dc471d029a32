/** Decides whom to dial and when: maintained peers until they are connected, discovered ones while there is room. */

import { BoundedMap } from '#platform/bounded-map.ts'
import type { Clock } from '#platform/clock.ts'
import type { Random } from '#platform/random.ts'
import type { Enode } from '#types/enode.ts'

const FIRST_RETRY_MS = 2_000
const LAST_RETRY_MS = 60_000
/** A connection that lasts this long resets the failure count. */
const GOOD_MS = 30_000
/** A peer that is full says so after HELLO, when the connection is already open for us. */
const REFUSED_WITHIN_MS = 5_000
const DISCOVERED_RETRY_MS = 5 * 60_000
const DIALS_MAX = 16
const REMEMBERED_MAX = 1_000
const FAILED_MAX = 100

interface Attempts {
  failures: number
  nextMs: number
}

export interface FailedDial {
  readonly enode: Enode
  readonly sentence: string
  readonly failures: number
  /** Unix time. */
  readonly atMs: number
}

export class DialPlan {
  readonly #clock: Clock
  readonly #random: Random
  readonly #maintained = new Map<string, { readonly enode: Enode } & Attempts>()
  #discovered = new BoundedMap<string, Attempts>(REMEMBERED_MAX)
  readonly #failed = new BoundedMap<string, FailedDial>(FAILED_MAX)
  readonly #dialling = new Set<string>()

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Returns false if the same endpoint was maintained already. */
  maintain(enode: Enode): boolean {
    const known = this.#maintained.get(enode.id)
    if (known !== undefined && known.enode.host === enode.host && known.enode.tcpPort === enode.tcpPort) {
      return false
    }
    this.#maintained.set(enode.id, { enode, failures: 0, nextMs: this.#clock.monotonicMs() })
    return true
  }

  /** Also gives up a dial that is under way. Returns false if the node was not maintained. */
  forget(id: string): boolean {
    this.#failed.delete(id)
    this.#dialling.delete(id)
    return this.#maintained.delete(id)
  }

  isMaintained(id: string): boolean {
    return this.#maintained.has(id)
  }

  isDialling(id: string): boolean {
    return this.#dialling.has(id)
  }

  failed(): readonly FailedDial[] {
    return this.#failed.values()
  }

  /**
   * The nodes to dial now. Expected candidates need no room. Each node counts as being dialled until `opened` or `ended` is
   * called.
   */
  due(
    isConnected: (id: string) => boolean,
    candidates: readonly Enode[],
    room: number,
    isExpected: (id: string) => boolean,
  ): readonly Enode[] {
    const nowMs = this.#clock.monotonicMs()
    const chosen: Enode[] = []
    const take = (enode: Enode): void => {
      this.#dialling.add(enode.id)
      chosen.push(enode)
    }
    const isFree = (id: string): boolean =>
      !isConnected(id) && !this.#dialling.has(id) && this.#dialling.size < DIALS_MAX
    for (const { enode, nextMs } of this.#maintained.values()) {
      if (nextMs <= nowMs && isFree(enode.id)) take(enode)
    }
    let left = room - [...this.#dialling].filter((id) => !isExpected(id)).length
    for (const enode of candidates) {
      const needsRoom = !isExpected(enode.id)
      if (needsRoom && left <= 0) continue
      const dueMs = this.#discovered.get(enode.id)?.nextMs ?? nowMs
      if (enode.tcpPort === null || dueMs > nowMs || !isFree(enode.id) || this.isMaintained(enode.id))
        continue
      take(enode)
      if (needsRoom) left -= 1
    }
    return chosen
  }

  /** Ends all waiting times, because refused peers may be permitted now. */
  hasten(): void {
    const nowMs = this.#clock.monotonicMs()
    for (const attempts of this.#maintained.values()) attempts.nextMs = Math.min(attempts.nextMs, nowMs)
    this.#discovered = new BoundedMap(REMEMBERED_MAX)
  }

  opened(id: string): void {
    this.#dialling.delete(id)
    this.#failed.delete(id)
  }

  /** A dial failed or a connection ended after `lastedMs`. */
  ended(enode: Enode, sentence: string, lastedMs: number): void {
    const { id } = enode
    this.#dialling.delete(id)
    const attempts = this.#maintained.get(id) ?? this.#discovered.get(id) ?? { failures: 0, nextMs: 0 }
    attempts.failures = lastedMs >= GOOD_MS ? 0 : attempts.failures + 1
    const isMaintained = this.#maintained.has(id)
    attempts.nextMs =
      this.#clock.monotonicMs() + (isMaintained ? this.#backOff(attempts.failures) : DISCOVERED_RETRY_MS)
    if (!isMaintained) this.#discovered.set(id, attempts)
    if (lastedMs >= REFUSED_WITHIN_MS) return
    this.#failed.set(id, { enode, sentence, failures: attempts.failures, atMs: this.#clock.wallMs() })
  }

  /** Grows with each failure and has jitter, so two nodes that lost each other do not dial in step. */
  #backOff(failures: number): number {
    const ms = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures, 10))
    return Math.floor(ms * 0.75) + this.#random.randomBelow(Math.ceil(ms / 4))
  }
}
