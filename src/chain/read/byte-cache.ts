/** The values used last, up to a sum of bytes: for what never changes and costs much to decode. */
export class ByteCache<Key, Value> {
  readonly #maxBytes: number
  /** The next to go first. */
  readonly #entries = new Map<Key, Entry<Value>>()
  /** Kept between calls: one that begins anew steps over all that was deleted since the map was last rehashed. */
  #hand: Iterator<[Key, Entry<Value>]> = this.#entries.entries()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // Moved when its turn to go comes, and not now: a request asks a thousand times, and moving costs more than asking.
    entry.isUsed = true
    return entry.value
  }

  /** What is larger than a quarter of the room is not kept: it would drive out too much. */
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

interface Entry<Value> {
  readonly value: Value
  readonly bytes: number
  /** Since it was passed over last. */
  isUsed: boolean
}
