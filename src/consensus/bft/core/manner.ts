import type {
  CommitMessage,
  PrepareMessage,
  ProposalMessage,
  ProposedBlock,
  RoundChangeMessage,
} from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'

/**
 * In which form this node sends blocks above round 0. Besu writes the round into the block; GoQuorum writes 0 in every
 * round and votes for the hash of that, whatever it was sent. So where one such validator is among those who have come to
 * the round, the block is sent plainly, and otherwise with its round: each of the two may be lost on the kind that is not
 * there. ADR 41 says why neither form serves always.
 */
export class Manner {
  readonly #plain = new Set<Address>()
  /** Heard with the round in a block, as GoQuorum never is: these take both forms. */
  readonly #others = new Set<Address>()
  readonly #rules: Pick<BftRules, 'forms' | 'sentForm'>

  constructor(rules: Pick<BftRules, 'forms' | 'sentForm'>) {
    this.#rules = rules
  }

  /** `present`: who has come to the round. */
  formOf(block: ProposedBlock, round: number, present: readonly RoundChangeMessage[]): ProposedBlock {
    const isForPlain = present.some(({ signed }) => this.#isPlain(signed.author))
    return this.#rules.sentForm(block, round, isForPlain)
  }

  /** Its rules hold. A plain one of which a plain validator is the reason says nothing about its author. */
  hearProposal({ signed: { author, payload }, block, roundChanges }: ProposalMessage): void {
    if (payload.round === 0) return
    if (block.digest !== block.hash) this.#others.add(author)
    else if (!roundChanges.some((change) => this.#isPlain(change.author))) this.#plain.add(author)
  }

  /** A vote of a validator, in the round of a proposal that has the block. */
  hearVote(
    { signed: { author, payload } }: PrepareMessage | CommitMessage,
    block: ProposedBlock,
    round: number,
  ): void {
    if (payload.round !== round || block.digest === block.hash) return
    if (payload.digest === block.hash) this.#plain.add(author)
    if (payload.digest === block.digest) this.#others.add(author)
  }

  #isPlain(author: Address): boolean {
    return this.#plain.has(author) && !this.#others.has(author)
  }
}
