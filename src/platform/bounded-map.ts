/** The list of slots is a ring: this one is before the oldest entry and after the newest, and holds none. */
const ENDS = 0

/**
 * A map of the last `max` keys that were set. A key that is set again becomes the newest and displaces no other. A linked list
 * of slots finds the oldest: an iterator over a `Map` would step over every entry deleted since the last rehash, 100 us per
 * insert at 131,072 entries.
 */
export class BoundedMap<Key, Value> {
  readonly #max: number
  readonly #slots = new Map<Key, number>()
  readonly #keys: (Key | undefined)[] = [undefined]
  readonly #values: (Value | undefined)[] = [undefined]
  readonly #older: number[] = [ENDS]
  readonly #newer: number[] = [ENDS]
  /** Slots of deleted keys, the first of a list through `#newer`; ENDS if there are none. */
  #free = ENDS

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

  set(key: Key, value: Value): void {
    let slot = this.#slots.get(key)
    if (slot === undefined) {
      if (this.#slots.size === this.#max) this.delete(this.#keys[this.#newer[ENDS]!]!)
      slot = this.#takeSlot()
      this.#slots.set(key, slot)
      this.#keys[slot] = key
    } else {
      this.#unlink(slot)
    }
    this.#values[slot] = value
    const newest = this.#older[ENDS]!
    this.#older[slot] = newest
    this.#newer[slot] = ENDS
    this.#newer[newest] = slot
    this.#older[ENDS] = slot
  }

  delete(key: Key): void {
    const slot = this.#slots.get(key)
    if (slot === undefined) return
    this.#slots.delete(key)
    this.#keys[slot] = undefined
    this.#values[slot] = undefined
    this.#unlink(slot)
    this.#newer[slot] = this.#free
    this.#free = slot
  }

  /** The value set longest ago comes first. */
  values(): readonly Value[] {
    const values: Value[] = []
    for (let slot = this.#newer[ENDS]!; slot !== ENDS; slot = this.#newer[slot]!) {
      values.push(this.#values[slot]!)
    }
    return values
  }

  #takeSlot(): number {
    if (this.#free === ENDS) return this.#keys.length
    const slot = this.#free
    this.#free = this.#newer[slot]!
    return slot
  }

  #unlink(slot: number): void {
    const [older, newer] = [this.#older[slot]!, this.#newer[slot]!]
    this.#newer[older] = newer
    this.#older[newer] = older
  }
}
