/** Caches the values used last, up to a sum of bytes; for immutable values that are expensive to decode. */
export class ByteCache<Key, Value> {
  readonly #maxBytes: number
  /** The next entry to evict first. */
  readonly #entries = new Map<Key, Entry<Value>>()
  /** Kept between calls: a new iterator would step over every entry deleted since the map was last rehashed. */
  #hand: Iterator<[Key, Entry<Value>]> = this.#entries.entries()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // The entry moves when its turn to be evicted comes: a request reads a thousand times, and moving costs more than
    // reading.
    entry.isUsed = true
    return entry.value
  }

  /** A value larger than a quarter of the capacity is not kept, because it would evict too much. */
  set(key: Key, value: Value, bytes: number): void {
    if (bytes > this.#maxBytes / 4 || this.#entries.has(key)) return
    while (this.#bytes + bytes > this.#maxBytes) {
      const next = this.#hand.next()
      if (next.done) {
        this.#hand = this.#entries.entries()
        continue
      }
      const [oldest, entry] = next.value
      this.#entries.delete(oldest)
      if (entry.isUsed) {
        entry.isUsed = false
        this.#entries.set(oldest, entry)
      } else {
        this.#bytes -= entry.bytes
      }
    }
    this.#entries.set(key, { value, bytes, isUsed: false })
    this.#bytes += bytes
  }
}

/**
 * Returns whether a key was passed before, and remembers it. Reads of random old blocks rarely repeat, so a cache that takes
 * a value only at its second read keeps the values read often.
 */
export function isAgain<Key>(visited: ByteCache<Key, true>, key: Key): boolean {
  const isKnown = visited.get(key) === true
  visited.set(key, true, 1)
  return isKnown
}

interface Entry<Value> {
  readonly value: Value
  readonly bytes: number
  /** Whether it was used since it was last passed over. */
  isUsed: boolean
}
