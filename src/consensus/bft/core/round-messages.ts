/** Prepares and commits of the current and later rounds, up to a limit, because anyone may run ahead. */

import type { CommitPayload, PreparePayload, Signed } from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'

/** Maximum rounds ahead of the current one. A node further behind moves by round changes first. */
export const MAX_ROUNDS_AHEAD = 10

interface MessagesOfRound {
  prepares: readonly Signed<PreparePayload>[]
  commits: readonly Signed<CommitPayload>[]
}

/** `different`: the author signed another digest in that round before. */
export type AddedMessage = 'added' | 'known' | 'different' | 'tooFarAhead'

export class RoundMessages {
  readonly #rounds = new Map<number, MessagesOfRound>()
  readonly #collect: BftRules['collect']

  constructor(collect: BftRules['collect']) {
    this.#collect = collect
  }

  add(message: Signed<PreparePayload> | Signed<CommitPayload>, currentRound: number): AddedMessage {
    const { round, kind, digest } = message.payload
    assert(round >= currentRound, 'Messages of older rounds are not kept.')
    if (round > currentRound + MAX_ROUNDS_AHEAD) return 'tooFarAhead'
    const messages = this.#rounds.get(round) ?? { prepares: [], commits: [] }
    this.#rounds.set(round, messages)
    const before = kind === 'prepare' ? messages.prepares : messages.commits
    if (kind === 'prepare')
      messages.prepares = this.#collect(messages.prepares, message as Signed<PreparePayload>)
    else messages.commits = this.#collect(messages.commits, message as Signed<CommitPayload>)
    if ((kind === 'prepare' ? messages.prepares : messages.commits) !== before) return 'added'
    const first = before.find(({ author }) => author === message.author)
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

export function withDigest<Message extends Signed<{ readonly digest: Hash }>>(
  messages: readonly Message[],
  digest: Hash,
): readonly Message[] {
  return messages.filter(({ payload }) => payload.digest === digest)
}
