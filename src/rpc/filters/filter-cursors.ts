import type { Clock } from '#platform/clock.ts'
import type { Random } from '#platform/random.ts'
import type { FilterDefinition, FilterPlace, FilterProgress } from './filter.ts'

export interface FilterLimits {
  /** 0: no limit. */
  readonly maxActive: number
  readonly timeoutMs: number
}

const ID_BYTES = 16
/**
 * Of all definitions together, in characters, which have a byte each. A filter of a few addresses and topics has some
 * hundred, one of the largest 350,000.
 */
const DEFINITIONS_MAX_BYTES = 16 * 1024 * 1024

interface Cursor {
  readonly definition: FilterDefinition
  since: FilterPlace
  expiresAtMs: number
}

/**
 * The polling filters of all servers, kept by main. One that nobody asks for long is forgotten; those are looked for
 * whenever one is made, so that no timer runs for it.
 */
export class FilterCursors {
  readonly #limits: FilterLimits
  readonly #clock: Clock
  readonly #random: Random
  /** The one that was asked longest ago first. */
  readonly #cursors = new Map<string, Cursor>()
  #definitionBytes = 0

  constructor(limits: FilterLimits, clock: Clock, random: Random) {
    this.#limits = limits
    this.#clock = clock
    this.#random = random
  }

  /** undefined: there are as many as allowed. */
  create(definition: FilterDefinition, now: FilterPlace): string | undefined {
    this.#forgetExpired()
    const { maxActive } = this.#limits
    if (maxActive > 0 && this.#cursors.size >= maxActive) return undefined
    if (this.#definitionBytes + definition.length > DEFINITIONS_MAX_BYTES) return undefined
    this.#definitionBytes += definition.length
    const id = `0x${BigInt(`0x${Buffer.from(this.#random.randomBytes(ID_BYTES)).toString('hex')}`).toString(16)}`
    this.#keep(id, { definition, since: now, expiresAtMs: 0 })
    return id
  }

  get(id: string): FilterDefinition | undefined {
    const cursor = this.#find(id)
    if (cursor !== undefined) this.#keep(id, cursor)
    return cursor?.definition
  }

  poll(id: string, now: FilterPlace): FilterProgress | undefined {
    const cursor = this.#find(id)
    if (cursor === undefined) return undefined
    const { definition, since } = cursor
    cursor.since = now
    this.#keep(id, cursor)
    return { definition, since, now }
  }

  remove(id: string): boolean {
    const cursor = this.#find(id)
    if (cursor !== undefined) this.#forget(id, cursor)
    return cursor !== undefined
  }

  #find(id: string): Cursor | undefined {
    const cursor = this.#cursors.get(id)
    if (cursor === undefined || cursor.expiresAtMs > this.#clock.monotonicMs()) return cursor
    this.#forget(id, cursor)
    return undefined
  }

  #forget(id: string, { definition }: Cursor): void {
    this.#cursors.delete(id)
    this.#definitionBytes -= definition.length
  }

  /** As the newest, so that the first in the map expires first. */
  #keep(id: string, cursor: Cursor): void {
    cursor.expiresAtMs = this.#clock.monotonicMs() + this.#limits.timeoutMs
    this.#cursors.delete(id)
    this.#cursors.set(id, cursor)
  }

  #forgetExpired(): void {
    const now = this.#clock.monotonicMs()
    for (const [id, cursor] of this.#cursors) {
      if (cursor.expiresAtMs > now) return
      this.#forget(id, cursor)
    }
  }
}
