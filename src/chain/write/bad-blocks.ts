import type { InvalidBlock, ReceivedBlock } from '#chain/block/stages.ts'
import { encodeBlock } from '#types/block/block.ts'
import type { Hash } from '#types/hash.ts'

/** Besu keeps as many. */
const MAX_BLOCKS = 100
/** Limits memory, because any peer may send large blocks. */
const MAX_BYTES = 32 * 1024 * 1024

export interface BadBlock {
  readonly hash: Hash
  readonly encoded: Uint8Array
}

/** The last blocks refused as invalid, for inspection. Lost when the node stops. */
export class BadBlocks {
  readonly #byHash = new Map<Hash, BadBlock>()
  #bytes = 0

  /** Oldest first. */
  all(): BadBlock[] {
    return [...this.#byHash.values()]
  }

  /** Keeps the block if the verdict is against it. A block whose parent may still arrive is not bad. */
  note<Verdict extends { readonly ok: true } | InvalidBlock>(
    { hash, block }: ReceivedBlock,
    verdict: Verdict,
  ): Verdict {
    if (!verdict.ok && verdict.reason !== 'UNKNOWN_PARENT') this.#add({ hash, encoded: encodeBlock(block) })
    return verdict
  }

  #add(bad: BadBlock): void {
    this.#forget(bad.hash)
    this.#byHash.set(bad.hash, bad)
    this.#bytes += bad.encoded.length
    for (const oldest of this.#byHash.keys()) {
      if (this.#byHash.size <= MAX_BLOCKS && this.#bytes <= MAX_BYTES) break
      this.#forget(oldest)
    }
  }

  #forget(hash: Hash): void {
    this.#bytes -= this.#byHash.get(hash)?.encoded.length ?? 0
    this.#byHash.delete(hash)
  }
}
