/**
 * The validator changes that the operator wants, as set by RPC. Lost at a restart, as in Besu. A proposer puts one into each of
 * its blocks while it is useful.
 */
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'
import type { VoteTally } from './vote-tally.ts'

/** Beyond this number the oldest is forgotten. */
const MAX_VOTES = 1_000

export class LocalVotes {
  /** In order of the first proposal. */
  readonly #votes = new Map<Address, BftVote['type']>()
  #turn = 0

  /** Replaces an earlier vote about the same address. */
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

  /** The vote for the voter's next block: useful votes take turns. */
  next(voter: Address, tally: VoteTally): BftVote | null {
    const useful = this.all().filter((vote) => isUseful(vote, voter, tally))
    if (useful.length === 0) return null
    this.#turn = (this.#turn + 1) % useful.length
    return useful[this.#turn]!
  }
}

/** Whether the vote is not cast yet and would change something or the voter's earlier vote. */
function isUseful({ recipient, type }: BftVote, voter: Address, { validators, votes }: VoteTally): boolean {
  const cast = votes.get(recipient)?.get(voter)
  if (cast !== undefined) return cast !== type
  // Without its last validator, a network could never make a block again.
  if (type === 'drop' && validators.length === 1) return false
  return validators.includes(recipient) === (type === 'drop')
}
