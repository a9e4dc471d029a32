import { type Cipheriv, createCipheriv } from 'node:crypto'
import type { RunningKeccak } from '#types/keccak.ts'

export const MAC_BYTES = 16

/** The running MAC of all frames in one direction. */
export class FrameMac {
  readonly #running: RunningKeccak
  readonly #cipher: Cipheriv
  /** The hash so far, which chains the frames. */
  #last: Uint8Array

  constructor(running: RunningKeccak, key: Uint8Array) {
    this.#running = running
    // One cipher for all frames, because creating one costs twenty times its use. ECB has no state between blocks.
    this.#cipher = createCipheriv('aes-256-ecb', key, null)
    this.#cipher.setAutoPadding(false)
    this.#last = running.digest()
  }

  ofHeader(encrypted: Uint8Array): Uint8Array {
    return this.#mix(encrypted)
  }

  /** Adds a piece of a body, which spreads the cost of a long one. */
  feedBody(encrypted: Uint8Array): void {
    this.#running.update(encrypted)
  }

  /** The MAC of all pieces since the header. */
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
