/** The values used last, up to a sum of bytes: for what never changes and costs much to decode. */
export class ByteCache<Key, Value> {
  readonly #maxBytes: number
  /** Least recently used first. */
  readonly #entries = new Map<Key, { readonly value: Value; readonly bytes: number }>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** What is larger than a quarter of the room is not kept: it would drive out too much. */
  set(key: Key, value: Value, bytes: number): void {
    if (bytes > this.#maxBytes / 4 || this.#entries.has(key)) return
    this.#entries.set(key, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= entry.bytes
    }
  }
}
