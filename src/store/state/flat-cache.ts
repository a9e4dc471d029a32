/**
 * Flat values of the writer, as stored, by key. What the engine read while a block was executed is asked for
 * again when its changes are committed, and hot contracts come back block after block. Two generations: what is
 * not used for a while falls out with the older one.
 */
const GENERATION_ENTRIES = 40_000

/** null: the key is known to be absent. */
type Cached = Uint8Array | null

export class FlatCache {
  #young = new Map<string, Cached>()
  #old = new Map<string, Cached>()

  get(key: string): Cached | undefined {
    const found = this.#young.get(key)
    if (found !== undefined) return found
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: string, value: Cached): void {
    if (this.#young.size >= GENERATION_ENTRIES) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
