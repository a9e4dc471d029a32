/** Validator votes from block to block. A tally is a value: applying a vote returns a new one. */
import type { Address } from '#types/address.ts'
import type { BftVote } from '#types/block/bft-extra-data.ts'

export interface VoteTally {
  /** The validators of the next block, sorted. */
  readonly validators: readonly Address[]
  /** By subject, then by voter. */
  readonly votes: ReadonlyMap<Address, ReadonlyMap<Address, BftVote['type']>>
}

export interface CastVote extends BftVote {
  readonly voter: Address
}

/** A tally without votes. */
export function tallyOf(validators: readonly Address[]): VoteTally {
  return { validators: [...new Set(validators)].sort(), votes: new Map() }
}

/**
 * A vote replaces the voter's earlier vote on the same subject. More than half of the validators decide. After the set shrank,
 * older votes may suffice: then any vote on the subject takes effect, even one against it.
 */
export function applyVote({ validators, votes: before }: VoteTally, vote: CastVote): VoteTally {
  const { voter, recipient, type } = vote
  const about = new Map(before.get(recipient)).set(voter, type)
  const enough = Math.floor(validators.length / 2) + 1
  const isAdded = countOf(about, 'add') >= enough
  const isDropped = countOf(about, 'drop') >= enough
  const votes = new Map(before).set(recipient, about)
  if (!isAdded && !isDropped) return { validators, votes }
  votes.delete(recipient)
  if (!isDropped) return { validators: tallyOf([...validators, recipient]).validators, votes }
  const rest = validators.filter((validator) => validator !== recipient)
  return { validators: rest, votes: withoutVoter(votes, recipient) }
}

function countOf(about: ReadonlyMap<Address, BftVote['type']>, type: BftVote['type']): number {
  let count = 0
  for (const other of about.values()) if (other === type) count++
  return count
}

/** A removed validator's votes no longer count. */
function withoutVoter(votes: VoteTally['votes'], voter: Address): VoteTally['votes'] {
  const kept = new Map<Address, ReadonlyMap<Address, BftVote['type']>>()
  for (const [subject, about] of votes) {
    const others = new Map(about)
    others.delete(voter)
    if (others.size > 0) kept.set(subject, others)
  }
  return kept
}
