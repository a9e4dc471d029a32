/** Remembers recently seen bytes, up to a limit. */
import { equalBytes } from '#types/bytes.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { MAX_HASHED_BYTES } from './wire/read-items.ts'

/** Maximum bytes kept for comparison: as much as one peer may send in a second. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024

/**
 * Short contents are identified by hash. Hashing 16 MiB would block the main thread for 0.1 s, so long contents are kept and
 * compared: a signature may not cover the body, and the message with the true body differs from one with a false body.
 */
export class RecentContent {
  readonly #hashes = new Set<string>()
  #long: readonly Uint8Array[] = []
  readonly #limit: number
  readonly #keccak: Keccak

  constructor(limit: number, keccak: Keccak) {
    this.#limit = limit
    this.#keccak = keccak
  }

  /** Returns false if the content was seen. */
  add(content: Uint8Array): boolean {
    if (this.#limit === 0) return true
    return content.length > MAX_HASHED_BYTES ? this.#addLong(content) : this.#addShort(content)
  }

  #addShort(content: Uint8Array): boolean {
    const hash = formatData(this.#keccak(content))
    const isNew = !this.#hashes.delete(hash)
    this.#hashes.add(hash)
    if (this.#hashes.size > this.#limit) this.#hashes.delete(this.#hashes.values().next().value as string)
    return isNew
  }

  #addLong(content: Uint8Array): boolean {
    if (this.#long.some((known) => equalBytes(known, content))) return false
    let left = MAX_KEPT_BYTES
    const newestFirst = [content, ...this.#long].slice(0, this.#limit)
    this.#long = newestFirst.filter(({ length }) => {
      left -= length
      return left >= 0
    })
    return true
  }
}
