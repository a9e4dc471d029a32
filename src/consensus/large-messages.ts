/**
 * Messages that sign a whole block, as proposals of QBFT do: who wrote one is not known before all of it is hashed, and
 * the writer does that, one at a time. What validators brought comes first.
 */
import type { Address } from '#types/address.ts'

/** Of one peer, waiting. */
const MAX_WAITING_PER_PEER = 3

export interface LargeMessage {
  readonly from: Address
  readonly code: number
  readonly data: Uint8Array
  /** What is signed. */
  readonly pieces: readonly Uint8Array[]
}

export interface LargeMessageParts {
  readonly hash: (pieces: readonly Uint8Array[]) => Promise<Uint8Array>
  readonly isValidator: (peer: Address) => boolean
  readonly read: (message: LargeMessage, digest: Uint8Array) => void
  /** It was not hashed. */
  readonly onLost: (message: LargeMessage, error: unknown) => void
}

export class LargeMessages {
  readonly #parts: LargeMessageParts
  #waiting: readonly LargeMessage[] = []
  #isHashing = false

  constructor(parts: LargeMessageParts) {
    this.#parts = parts
  }

  hasRoom(peer: Address): boolean {
    return this.#waiting.filter(({ from }) => from === peer).length < MAX_WAITING_PER_PEER
  }

  add(message: LargeMessage): void {
    this.#waiting = [...this.#waiting, message]
    if (!this.#isHashing) this.#hashNext()
  }

  clear(): void {
    this.#waiting = []
  }

  #hashNext(): void {
    const next = this.#waiting.find(({ from }) => this.#parts.isValidator(from)) ?? this.#waiting[0]
    this.#isHashing = next !== undefined
    if (next === undefined) return
    const { hash, read, onLost } = this.#parts
    hash(next.pieces)
      .then(
        (digest) => read(next, digest),
        (error: unknown) => onLost(next, error),
      )
      .finally(() => {
        this.#waiting = this.#waiting.filter((message) => message !== next)
        this.#hashNext()
      })
  }
}
