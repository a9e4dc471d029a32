import { assert } from '#types/assert.ts'

/**
 * A map that forgets entries not used for long. It keeps two generations: a full young one becomes the old one, and
 * the old one is dropped. A hit among the young is one look-up, whereas an exact order of use would need a write.
 */
export class RecentMap<Key, Value extends {}> {
  readonly #generationMax: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** Keeps at least the `entriesMax / 2` entries used last, and at most `entriesMax`. */
  constructor(entriesMax: number) {
    assert(entriesMax >= 2, `a map of two generations holds at least 2 entries, not ${entriesMax}`)
    this.#generationMax = Math.floor(entriesMax / 2)
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#generationMax && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }
}
