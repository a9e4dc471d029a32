/** Whether the same bytes were seen recently; the oldest are forgotten. */
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'

export class RecentContent {
  readonly #hashes = new Set<string>()
  readonly #limit: number
  readonly #keccak: Keccak

  constructor(limit: number, keccak: Keccak) {
    this.#limit = limit
    this.#keccak = keccak
  }

  /** False: it was there already. */
  add(content: Uint8Array): boolean {
    if (this.#limit === 0) return true
    const hash = formatData(this.#keccak(content))
    const isNew = !this.#hashes.delete(hash)
    this.#hashes.add(hash)
    if (this.#hashes.size > this.#limit) this.#hashes.delete(this.#hashes.values().next().value as string)
    return isNew
  }
}
