import type { CommitMessage, PrepareMessage, ProposedBlock } from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'

/**
 * In which form this node sends blocks above round 0. Besu writes the round into the block; GoQuorum writes 0 in every
 * round and votes for the hash of that, whatever it was sent. Where one such validator is heard, this node does as it does:
 * Besu takes that form too, and GoQuorum no other. ADR 41 says why it is not done from the start.
 */
export class Manner {
  #heardPlain = false
  readonly #rules: Pick<BftRules, 'forms' | 'sentForm'>

  constructor(rules: Pick<BftRules, 'forms' | 'sentForm'>) {
    this.#rules = rules
  }

  formOf(block: ProposedBlock, round: number): ProposedBlock {
    return this.#rules.sentForm(block, round, this.#heardPlain)
  }

  /** A proposal of a validator, whose rules hold. */
  hearBlock(block: ProposedBlock, round: number): void {
    if (round > 0 && block.digest === block.hash) this.#heardPlain = true
  }

  /** A vote of a validator, in the round of a proposal that has the block. */
  hearVote(
    { signed: { payload } }: PrepareMessage | CommitMessage,
    block: ProposedBlock,
    round: number,
  ): void {
    const isPlain = payload.digest === block.hash && payload.digest !== block.digest
    if (isPlain && payload.round === round) this.#heardPlain = true
  }
}
