/**
 * What this node wants changed about validators, as its operator said by RPC. Lost at the end of the process, as in
 * Besu; a proposer puts one of them into each block it makes, for as long as that makes sense.
 */
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { VoteTally } from './vote-tally.ts'

/** The oldest is forgotten. */
const MAX_VOTES = 1_000

export class LocalVotes {
  /** In the order in which they were first given. */
  readonly #votes = new Map<Address, BftVote['type']>()
  #turn = 0

  /** Takes the place of an earlier one about the same address. */
  propose(recipient: Address, type: BftVote['type']): void {
    this.#votes.set(recipient, type)
    if (this.#votes.size <= MAX_VOTES) return
    const oldest = this.#votes.keys().next()
    if (!oldest.done) this.#votes.delete(oldest.value)
  }

  discard(recipient: Address): void {
    this.#votes.delete(recipient)
  }

  all(): readonly BftVote[] {
    return Array.from(this.#votes, ([recipient, type]) => ({ recipient, type }))
  }

  /** For the next block that `voter` makes: those that would change something take turns. */
  next(voter: Address, tally: VoteTally): BftVote | null {
    const useful = this.all().filter((vote) => isUseful(vote, voter, tally))
    if (useful.length === 0) return null
    this.#turn = (this.#turn + 1) % useful.length
    return useful[this.#turn]!
  }
}

/** Not cast yet, and either about a change or against what the voter said before. */
function isUseful({ recipient, type }: BftVote, voter: Address, { validators, votes }: VoteTally): boolean {
  const cast = votes.get(recipient)?.get(voter)
  if (cast !== undefined) return cast !== type
  // Without its last validator a network makes no block any more, and nobody could be voted in again.
  if (type === 'drop' && validators.length === 1) return false
  return validators.includes(recipient) === (type === 'drop')
}
