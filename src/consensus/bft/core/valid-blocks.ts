import type { ProposedBlock } from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { Hash } from '#types/hash.ts'

/**
 * The blocks of a height that were built or executed here, so none is executed twice. Each is bound to its body: the hash does
 * not cover the body, and a body under a known header may be false.
 */
export class ValidBlocks {
  readonly #blocks = new Map<Hash, ProposedBlock>()
  readonly #isSameBlock: BftRules['isSameBlock']

  constructor(isSameBlock: BftRules['isSameBlock']) {
    this.#isSameBlock = isSameBlock
  }

  add(block: ProposedBlock): void {
    this.#blocks.set(block.hash, block)
  }

  has(block: ProposedBlock): boolean {
    const known = this.#blocks.get(block.hash)
    return known !== undefined && this.#isSameBlock(known, block)
  }

  delete({ hash }: ProposedBlock): void {
    this.#blocks.delete(hash)
  }
}
