/** A map that forgets what was put in first when it is full. */
export class BoundedMap<Key, Value> {
  readonly #max: number
  readonly #entries = new Map<Key, Value>()

  constructor(max: number) {
    this.#max = max
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)
  }

  /** As the latest, also when it was there. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#max) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }
}
