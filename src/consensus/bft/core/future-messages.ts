/** Messages for future heights. Bounded in distance, count and bytes, because anyone can write them. */

import type { Event } from '#consensus/bft/events.ts'
import type { Address } from '#types/address.ts'

export type MessageEvent = Event & { readonly type: 'message' }

export interface FutureLimits {
  /** Heights above the current one. */
  readonly maxDistance: number
  /** 0 keeps none. */
  readonly maxMessages: number
  readonly maxBytes: number
}

export class FutureMessages {
  #kept: MessageEvent[] = []
  #bytes = 0
  readonly #limits: FutureLimits

  constructor(limits: FutureLimits) {
    this.#limits = limits
  }

  /** Returns the number of dropped messages, which may include this one. */
  add(event: MessageEvent, height: number, validators: readonly Address[]): number {
    if (heightOf(event) > height + this.#limits.maxDistance) return 1
    this.#kept.push(event)
    this.#bytes += event.raw.length
    let dropped = 0
    while (this.#kept.length > this.#limits.maxMessages || this.#bytes > this.#limits.maxBytes) {
      dropped += this.#dropLeastUseful(validators)
    }
    return dropped
  }

  /** Removes and returns the messages of this height in order; drops older ones. */
  take(height: number): readonly MessageEvent[] {
    const taken = this.#kept.filter((event) => heightOf(event) === height)
    this.#keep((event) => heightOf(event) > height)
    return taken
  }

  get size(): { readonly messages: number; readonly bytes: number } {
    return { messages: this.#kept.length, bytes: this.#bytes }
  }

  /** Drops messages of non-validators first, then those of the highest height, then the oldest. */
  #dropLeastUseful(validators: readonly Address[]): number {
    const before = this.#kept.length
    const isStranger = (event: MessageEvent) => !validators.includes(event.message.signed.author)
    // Not spread into Math.max: the genesis file sets the count, and calls have an argument limit.
    const highest = this.#kept.reduce((most, event) => Math.max(most, heightOf(event)), 0)
    if (this.#kept.some(isStranger)) this.#keep((event) => !isStranger(event))
    else if (this.#kept.some((event) => heightOf(event) < highest)) {
      this.#keep((event) => heightOf(event) < highest)
    } else this.#keep((event) => event !== this.#kept[0])
    return before - this.#kept.length
  }

  #keep(isKept: (event: MessageEvent) => boolean): void {
    this.#kept = this.#kept.filter(isKept)
    this.#bytes = this.#kept.reduce((sum, { raw }) => sum + raw.length, 0)
  }
}

function heightOf({ message }: MessageEvent): number {
  return message.signed.payload.height
}
