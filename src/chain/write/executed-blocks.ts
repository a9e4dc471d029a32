/**
 * Blocks that were executed and are not committed: proposals, our own and others'. A block is executed once; its
 * import is a look-up. Their states stand on the head and end when another block is committed.
 */

import type { ExecutedBlock } from '#chain/block/stages.ts'
import type { Hash } from '#types/hash.ts'

/** Proposals of a few rounds; each holds what one block changes. */
const MAX_EXECUTED = 16

export class ExecutedBlocks {
  /** In the order of execution, and so parents before their children. */
  readonly #byHash = new Map<Hash, ExecutedBlock>()

  add(block: ExecutedBlock): void {
    this.#byHash.delete(block.hash)
    this.#byHash.set(block.hash, block)
    if (this.#byHash.size <= MAX_EXECUTED) return
    const oldest = this.#byHash.keys().next()
    if (!oldest.done) this.#byHash.delete(oldest.value)
  }

  get isEmpty(): boolean {
    return this.#byHash.size === 0
  }

  find(hash: Hash): ExecutedBlock | undefined {
    return this.#byHash.get(hash)
  }

  /** Forgets what does not descend from the new head. */
  retainAbove(head: Hash): void {
    const kept = new Set([head])
    for (const [hash, { block }] of this.#byHash) {
      if (hash !== head && kept.has(block.header.parentHash)) kept.add(hash)
      else this.#byHash.delete(hash)
    }
  }

  clear(): void {
    this.#byHash.clear()
  }
}
