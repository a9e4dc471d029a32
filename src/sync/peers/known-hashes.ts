import { BoundedMap } from '#platform/bounded-map.ts'
import type { Hash } from '#types/hash.ts'

/** The latest hashes that a peer is known to have; the node does not announce them to it again. */
export class KnownHashes {
  readonly #hashes: BoundedMap<Hash, true>

  constructor(max: number) {
    this.#hashes = new BoundedMap(max)
  }

  has(hash: Hash): boolean {
    return this.#hashes.has(hash)
  }

  /** Returns false if the hash was known before. */
  add(hash: Hash): boolean {
    if (this.#hashes.has(hash)) return false
    this.#hashes.set(hash, true)
    return true
  }

  delete(hash: Hash): void {
    this.#hashes.delete(hash)
  }
}
