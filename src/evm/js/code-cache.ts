/**
 * A least-recently-used cache of code by hash, shared by the sessions of an engine. The interpreter keys its jump
 * analysis by these byte arrays.
 */
export const CODE_CACHE_MAX_BYTES = 64 * 1024 * 1024

export class CodeCache {
  readonly #maxBytes: number
  /** By byte key, the least recently used first. */
  readonly #codes = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(maxBytes: number = CODE_CACHE_MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  get(key: string): Uint8Array | undefined {
    const code = this.#codes.get(key)
    if (code === undefined) return undefined
    this.#codes.delete(key)
    this.#codes.set(key, code)
    return code
  }

  set(key: string, code: Uint8Array): void {
    if (code.length > this.#maxBytes || this.#codes.has(key)) return
    this.#codes.set(key, code)
    this.#bytes += code.length
    for (const [oldest, { length }] of this.#codes) {
      if (this.#bytes <= this.#maxBytes) return
      this.#codes.delete(oldest)
      this.#bytes -= length
    }
  }
}
