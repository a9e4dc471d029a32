/**
 * A map of the last `max` keys that were set. A ring of keys finds the oldest: an iterator over a `Map` would step over
 * every entry deleted since the last rehash, 100 us per insert at 131,072 entries. A key that is set again uses up a second
 * slot, so a peer that repeats one key can displace others; use LatestMap if that matters.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number
  readonly #slots = new Map<Key, number>()
  readonly #keys: Key[] = []
  readonly #values: (Value | undefined)[] = []
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#slots.size
  }

  has(key: Key): boolean {
    return this.#slots.has(key)
  }

  get(key: Key): Value | undefined {
    const slot = this.#slots.get(key)
    return slot === undefined ? undefined : this.#values[slot]
  }

  /** Moves an existing key to the newest position; its old slot stays empty until the ring returns to it. */
  set(key: Key, value: Value): void {
    this.delete(key)
    const slot = this.#next
    this.#next = (slot + 1) % this.#max
    if (slot < this.#keys.length) {
      const oldest = this.#keys[slot]!
      if (this.#slots.get(oldest) === slot) this.#slots.delete(oldest)
    }
    this.#keys[slot] = key
    this.#values[slot] = value
    this.#slots.set(key, slot)
  }

  delete(key: Key): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    this.#slots.delete(key)
    this.#values[slot] = undefined
  }
}
