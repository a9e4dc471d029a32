/** The events of one run: their hash, and the bytes themselves as long as they are not too many. */
import { createHash } from 'node:crypto'

const MAX_KEPT_BYTES = 64 * 1024 * 1024

export class EventTape {
  readonly #hash = createHash('sha256')
  readonly #chunks: Uint8Array[] = []
  #digest: string | undefined
  #kept = 0
  length = 0

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk)
    this.length += chunk.length
    if (this.#kept + chunk.length > MAX_KEPT_BYTES) return
    this.#kept += chunk.length
    this.#chunks.push(chunk.slice())
  }

  /** The first complete events. */
  get chunks(): readonly Uint8Array[] {
    return this.#chunks
  }

  equals(other: EventTape): boolean {
    return this.length === other.length && this.#end() === other.#end()
  }

  #end(): string {
    this.#digest ??= this.#hash.digest('hex')
    return this.#digest
  }
}
