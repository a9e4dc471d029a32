import type { Clock } from '#platform/clock.ts'
import type { Random } from '#platform/random.ts'
import type { FilterDefinition, FilterPlace, FilterProgress } from './filter.ts'

export interface FilterLimits {
  /** 0 for no limit. */
  readonly maxActive: number
  readonly timeoutMs: number
}

interface FilterParts {
  readonly clock: Clock
  readonly random: Random
  /** The start of new filters: the announced head, and the additions to the pool. */
  now(): FilterPlace
}

const ID_BYTES = 16
/** Total length of all definitions; one filter takes from some hundred to 350,000 bytes. */
const DEFINITIONS_MAX_BYTES = 16 * 1024 * 1024
/** Expired filters that one request removes; main has little time for each request. */
const FORGOTTEN_AT_ONCE = 256

interface Cursor {
  readonly definition: FilterDefinition
  readonly owner: string
  since: FilterPlace
  expiresAtMs: number
}

/** The filters of one caller. The filter polled longest ago comes first. */
interface Holding {
  readonly cursors: Map<string, Cursor>
  definitionBytes: number
}

/**
 * The polling filters of all servers, kept by main. Expired filters are removed when one is created, so no timer is
 * needed. One caller may hold all of them until others ask. Then the largest holder loses the filters it polled
 * longest ago, until every caller holds the same share.
 */
export class FilterCursors {
  readonly #limits: FilterLimits
  readonly #parts: FilterParts
  /** The filter polled longest ago comes first. */
  readonly #cursors = new Map<string, Cursor>()
  readonly #holdings = new Map<string, Holding>()
  #definitionBytes = 0

  constructor(limits: FilterLimits, parts: FilterParts) {
    this.#limits = limits
    this.#parts = parts
  }

  /** Returns undefined if every place is taken and no caller holds more than this one would. */
  create(definition: FilterDefinition, owner: string): string | undefined {
    this.#forgetExpired()
    if (!this.#makeRoom(owner, definition.length)) return undefined
    const holding = this.#holdings.get(owner) ?? { cursors: new Map(), definitionBytes: 0 }
    this.#holdings.set(owner, holding)
    holding.definitionBytes += definition.length
    this.#definitionBytes += definition.length
    const id = `0x${BigInt(`0x${Buffer.from(this.#parts.random.randomBytes(ID_BYTES)).toString('hex')}`).toString(16)}`
    this.#keep(id, { definition, owner, since: this.#parts.now(), expiresAtMs: 0 })
    return id
  }

  #makeRoom(owner: string, bytes: number): boolean {
    const { maxActive } = this.#limits
    const own = this.#holdings.get(owner)
    return (
      this.#takeBack(
        () => maxActive > 0 && this.#cursors.size >= maxActive,
        ({ cursors }) => cursors.size,
        (own?.cursors.size ?? 0) + 1,
      ) &&
      this.#takeBack(
        () => this.#definitionBytes + bytes > DEFINITIONS_MAX_BYTES,
        ({ definitionBytes }) => definitionBytes,
        (own?.definitionBytes ?? 0) + bytes,
      )
    )
  }

  /** Returns false if there is no room and no caller holds more than `wanted`. */
  #takeBack(isFull: () => boolean, sizeOf: (holding: Holding) => number, wanted: number): boolean {
    while (isFull()) {
      let largest: Holding | undefined
      for (const holding of this.#holdings.values()) {
        if (largest === undefined || sizeOf(holding) > sizeOf(largest)) largest = holding
      }
      if (largest === undefined || sizeOf(largest) <= wanted) return false
      for (const [id, cursor] of largest.cursors) {
        if (!isFull() || sizeOf(largest) <= wanted) break
        this.#forget(id, cursor)
      }
    }
    return true
  }

  get(id: string): FilterDefinition | undefined {
    const cursor = this.#find(id)
    if (cursor !== undefined) this.#keep(id, cursor)
    return cursor?.definition
  }

  poll(id: string): FilterProgress | undefined {
    const cursor = this.#find(id)
    if (cursor === undefined) return undefined
    const now = this.#parts.now()
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
    if (cursor === undefined || cursor.expiresAtMs > this.#parts.clock.monotonicMs()) return cursor
    this.#forget(id, cursor)
    return undefined
  }

  #forget(id: string, { definition, owner }: Cursor): void {
    this.#cursors.delete(id)
    this.#definitionBytes -= definition.length
    const holding = this.#holdings.get(owner)!
    holding.cursors.delete(id)
    holding.definitionBytes -= definition.length
    if (holding.cursors.size === 0) this.#holdings.delete(owner)
  }

  /** Adds it as the newest, so the first in the map expires first. */
  #keep(id: string, cursor: Cursor): void {
    cursor.expiresAtMs = this.#parts.clock.monotonicMs() + this.#limits.timeoutMs
    for (const cursors of [this.#cursors, this.#holdings.get(cursor.owner)!.cursors]) {
      cursors.delete(id)
      cursors.set(id, cursor)
    }
  }

  #forgetExpired(): void {
    const now = this.#parts.clock.monotonicMs()
    let left = FORGOTTEN_AT_ONCE
    for (const [id, cursor] of this.#cursors) {
      if (cursor.expiresAtMs > now || left-- === 0) return
      this.#forget(id, cursor)
    }
  }
}
