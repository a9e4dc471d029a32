/**
 * A map that evicts the entry set longest ago; a key that is set again takes no other key's place. For up to a few thousand
 * entries: finding the oldest steps over deleted ones, which BoundedMap avoids.
 */
export class LatestMap<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size > this.#max) this.#entries.delete(this.#entries.keys().next().value!)
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  has(key: Key): boolean {
    return this.#entries.has(key)
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  values(): readonly Value[] {
    return [...this.#entries.values()]
  }
}
