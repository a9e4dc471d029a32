/** Prepares and commits of the current and later rounds, up to a limit, because anyone may run ahead. */

import type { CommitPayload, PreparePayload, Signed } from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'

/** Maximum rounds ahead of the current one. A node further behind moves by round changes first. */
export const MAX_ROUNDS_AHEAD = 10

interface VotesOfRound {
  prepares: readonly Signed<PreparePayload>[]
  commits: readonly Signed<CommitPayload>[]
}

/** `different`: the author signed another digest in that round before. */
export type AddedVote = 'added' | 'known' | 'different' | 'tooFarAhead'

export class RoundVotes {
  readonly #rounds = new Map<number, VotesOfRound>()
  readonly #collect: BftRules['collect']

  constructor(collect: BftRules['collect']) {
    this.#collect = collect
  }

  add(vote: Signed<PreparePayload> | Signed<CommitPayload>, currentRound: number): AddedVote {
    const { round, kind, digest } = vote.payload
    assert(round >= currentRound, 'Votes of older rounds are not kept.')
    if (round > currentRound + MAX_ROUNDS_AHEAD) return 'tooFarAhead'
    const votes = this.#rounds.get(round) ?? { prepares: [], commits: [] }
    this.#rounds.set(round, votes)
    const before = kind === 'prepare' ? votes.prepares : votes.commits
    if (kind === 'prepare') votes.prepares = this.#collect(votes.prepares, vote as Signed<PreparePayload>)
    else votes.commits = this.#collect(votes.commits, vote as Signed<CommitPayload>)
    if ((kind === 'prepare' ? votes.prepares : votes.commits) !== before) return 'added'
    const first = before.find(({ author }) => author === vote.author)
    return first?.payload.digest === digest ? 'known' : 'different'
  }

  prepares(round: number): readonly Signed<PreparePayload>[] {
    return this.#rounds.get(round)?.prepares ?? []
  }

  commits(round: number): readonly Signed<CommitPayload>[] {
    return this.#rounds.get(round)?.commits ?? []
  }

  dropBelow(round: number): void {
    for (const known of this.#rounds.keys()) if (known < round) this.#rounds.delete(known)
  }
}

export function votesFor<Vote extends Signed<{ readonly digest: Hash }>>(
  votes: readonly Vote[],
  digest: Hash,
): readonly Vote[] {
  return votes.filter(({ payload }) => payload.digest === digest)
}
