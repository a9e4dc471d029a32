import type { Hash } from '#types/hash.ts'

/** The hashes that a peer is known to know, the latest of them: what is in it is not told again. */
export class KnownHashes {
  readonly #hashes = new Set<Hash>()
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  has(hash: Hash): boolean {
    return this.#hashes.has(hash)
  }

  /** False: it was known. */
  add(hash: Hash): boolean {
    if (this.#hashes.has(hash)) return false
    this.#hashes.add(hash)
    if (this.#hashes.size > this.#max) {
      const [oldest] = this.#hashes
      this.#hashes.delete(oldest!)
    }
    return true
  }

  delete(hash: Hash): void {
    this.#hashes.delete(hash)
  }
}
