import { type Cipheriv, createCipheriv } from 'node:crypto'
import type { RunningKeccak } from '#types/keccak.ts'

export const MAC_BYTES = 16

/** The running authentication of the frames of one direction. */
export class FrameMac {
  readonly #running: RunningKeccak
  readonly #cipher: Cipheriv
  /** The hash so far: what ended the last frame begins the next. */
  #last: Uint8Array

  constructor(running: RunningKeccak, key: Uint8Array) {
    this.#running = running
    // One cipher for all frames: making one costs twenty times its use. ECB has no state between blocks.
    this.#cipher = createCipheriv('aes-256-ecb', key, null)
    this.#cipher.setAutoPadding(false)
    this.#last = running.digest()
  }

  ofHeader(encrypted: Uint8Array): Uint8Array {
    return this.#mix(encrypted)
  }

  /** A piece of a body; what a long one costs is spread over the pieces in which it comes. */
  feedBody(encrypted: Uint8Array): void {
    this.#running.update(encrypted)
  }

  /** Of all pieces since the header. */
  ofBody(): Uint8Array {
    this.#last = this.#running.digest()
    return this.#mix(this.#last)
  }

  #mix(seed: Uint8Array): Uint8Array {
    const mixed = this.#cipher.update(this.#last.subarray(0, MAC_BYTES))
    for (let at = 0; at < MAC_BYTES; at++) mixed[at]! ^= seed[at]!
    this.#running.update(mixed)
    this.#last = this.#running.digest()
    return this.#last.subarray(0, MAC_BYTES)
  }
}
