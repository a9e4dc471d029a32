/** Remembers recently seen bytes, up to a limit. */
import { equalBytes } from '#types/bytes.ts'
import { formatData } from '#types/hex.ts'
import type { Keccak } from '#types/keccak.ts'
import { MAX_HASHED_BYTES } from './wire/read-items.ts'

/** Maximum bytes kept for comparison: as much as one peer may send in a second. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024

/** One content. The caller may note what it learned about it. */
export interface Remembered<Note> {
  note: Note | undefined
}

interface LongContent<Note> {
  readonly content: Uint8Array
  readonly remembered: Remembered<Note>
}

/**
 * Short contents are identified by hash. Hashing 16 MiB would block the main thread for 0.1 s, so long contents are kept and
 * compared: a signature may not cover the body, and the message with the true body differs from one with a false body.
 */
export class RecentContent<Note = never> {
  readonly #hashes = new Map<string, Remembered<Note>>()
  #long: readonly LongContent<Note>[] = []
  readonly #limit: number
  readonly #keccak: Keccak

  constructor(limit: number, keccak: Keccak) {
    this.#limit = limit
    this.#keccak = keccak
  }

  /** Returns false if the content was seen. */
  add(content: Uint8Array): boolean {
    return this.recall(content).isNew
  }

  recall(content: Uint8Array): { readonly isNew: boolean; readonly remembered: Remembered<Note> } {
    const fresh = { note: undefined }
    if (this.#limit === 0) return { isNew: true, remembered: fresh }
    const known =
      content.length > MAX_HASHED_BYTES ? this.#ofLong(content, fresh) : this.#ofShort(content, fresh)
    return { isNew: known === undefined, remembered: known ?? fresh }
  }

  /** Forgets contents by their notes. */
  forget(isForgotten: (note: Note | undefined) => boolean): void {
    for (const [hash, { note }] of this.#hashes) if (isForgotten(note)) this.#hashes.delete(hash)
    this.#long = this.#long.filter(({ remembered }) => !isForgotten(remembered.note))
  }

  #ofShort(content: Uint8Array, fresh: Remembered<Note>): Remembered<Note> | undefined {
    const hash = formatData(this.#keccak(content))
    const known = this.#hashes.get(hash)
    this.#hashes.delete(hash)
    this.#hashes.set(hash, known ?? fresh)
    if (this.#hashes.size > this.#limit) this.#hashes.delete(this.#hashes.keys().next().value as string)
    return known
  }

  #ofLong(content: Uint8Array, remembered: Remembered<Note>): Remembered<Note> | undefined {
    const known = this.#long.find((each) => equalBytes(each.content, content))
    if (known !== undefined) return known.remembered
    let left = MAX_KEPT_BYTES
    const newestFirst = [{ content, remembered }, ...this.#long].slice(0, this.#limit)
    this.#long = newestFirst.filter((each) => {
      left -= each.content.length
      return left >= 0
    })
    return undefined
  }
}
