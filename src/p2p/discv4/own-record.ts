import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { equalBytes } from '#types/bytes.ts'
import type { encodeRecord, ForkId, NodeRecord } from './node-record.ts'

/** Forks take effect with a block, and others have to hear of it before they look for nodes of the new one. */
const LOOK_MS = 10_000

type Encode = (record: Pick<NodeRecord, 'sequence' | 'forkId'>) => ReturnType<typeof encodeRecord>

/** The record of this node, signed anew with a higher number when a fork has taken effect. */
export class OwnRecord {
  readonly #encode: Encode
  readonly #currentFork: () => ForkId | null
  #encoded: Uint8Array = new Uint8Array(0)
  #sequence = 0n
  #forkId: ForkId | null = null
  #timer: Timer | undefined

  private constructor(encode: Encode, currentFork: () => ForkId | null) {
    this.#encode = encode
    this.#currentFork = currentFork
  }

  static async create(
    encode: Encode,
    currentFork: () => ForkId | null,
    clock: Clock,
    log: Log,
  ): Promise<OwnRecord> {
    const record = new OwnRecord(encode, currentFork)
    await record.#sign(BigInt(clock.wallMs()), currentFork())
    const look = () =>
      record.#look().catch((err) => log.error('The node record could not be signed.', { err }))
    record.#timer = clock.every(LOOK_MS, () => void look(), { unref: true })
    return record
  }

  get encoded(): Uint8Array {
    return this.#encoded
  }

  get sequence(): bigint {
    return this.#sequence
  }

  stop(): void {
    this.#timer?.cancel()
  }

  async #look(): Promise<void> {
    const forkId = this.#currentFork()
    if (isSameFork(forkId, this.#forkId)) return
    await this.#sign(this.#sequence + 1n, forkId)
  }

  /** Number and text change together. */
  async #sign(sequence: bigint, forkId: ForkId | null): Promise<void> {
    const encoded = await this.#encode({ sequence, forkId })
    this.#encoded = encoded
    this.#sequence = sequence
    this.#forkId = forkId
  }
}

function isSameFork(a: ForkId | null, b: ForkId | null): boolean {
  if (a === null || b === null) return a === b
  return a.next === b.next && equalBytes(a.hash, b.hash)
}
