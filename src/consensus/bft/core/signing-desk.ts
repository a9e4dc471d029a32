/**
 * The one way to a signature: what is to be signed is checked against what was signed before, written down, made
 * durable, and only then signed. Work for rounds that were left is dropped on the way: what is on record but was
 * never signed binds, and harms nobody.
 */
import type { Action, Event, RequestKey, VotesRecord } from '#consensus/bft/events.ts'
import type { Draft, Payload, PreparedCertificate, RoundId, Signed } from '#consensus/bft/messages.ts'
import { emptyRecord } from '#consensus/bft/record-vote.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { OwnPast } from './own-past.ts'

interface PendingVote extends RequestKey {
  readonly draft: Draft
  /** What has to be durable before; undefined: it is. */
  readonly record: VotesRecord | undefined
}

type Answer<Type extends Event['type']> = Event & { readonly type: Type }

export class SigningDesk {
  #record: VotesRecord | undefined
  #durable: VotesRecord | undefined
  #pending: PendingVote[] = []
  readonly #rules: Pick<BftRules, 'recordVote' | 'isAnswer'>
  readonly #past: Pick<OwnPast, 'knownTo'>

  constructor(
    rules: Pick<BftRules, 'recordVote' | 'isAnswer'>,
    loaded: VotesRecord | undefined,
    past: Pick<OwnPast, 'knownTo'>,
  ) {
    this.#rules = rules
    this.#past = past
    this.#record = loaded
    this.#durable = loaded
  }

  /** What binds this node, durable or about to be. */
  get record(): VotesRecord | undefined {
    return this.#record
  }

  /**
   * Notes that the chain has come to a height, signed or not: a record that is older than the chain at the next start
   * was lost or comes from a backup. undefined: it says so already.
   */
  reach(height: number, id: number): Action | undefined {
    if (this.#record !== undefined && this.#record.height >= height) return undefined
    this.#record = { ...emptyRecord({ height, round: 0 }), knownTo: this.#past.knownTo }
    return { type: 'persist', id, height, round: 0, record: this.#record }
  }

  /** Notes that nothing was signed yet, at no height. undefined: there is a record already. */
  begin(id: number): Action | undefined {
    if (this.#record !== undefined) return undefined
    this.#record = emptyRecord({ height: 0, round: 0 })
    return { type: 'persist', id, height: 0, round: 0, record: this.#record }
  }

  /** undefined: it would go against the record. */
  ask(draft: Draft, certificate: PreparedCertificate | undefined, id: number): Action | undefined {
    const voted = this.#rules.recordVote(this.#record, draft, certificate)
    if (voted === undefined) return undefined
    const record = voted === this.#record ? voted : { ...voted, knownTo: this.#past.knownTo }
    this.#record = record
    const key: RequestKey = { id, height: draft.height, round: draft.round }
    const isDurable = record === this.#durable
    this.#pending.push({ ...key, draft, record: isDurable ? undefined : record })
    return isDurable ? { type: 'sign', ...key, draft } : { type: 'persist', ...key, record }
  }

  persisted(answer: Answer<'persisted'>): Action | undefined {
    const at = this.#pending.findIndex((vote) => vote.record && this.#rules.isAnswer(answer, vote))
    const vote = this.#pending[at]
    if (vote === undefined) return undefined
    this.#durable = vote.record
    this.#pending[at] = { ...vote, record: undefined }
    const { id, height, round, draft } = vote
    return { type: 'sign', id, height, round, draft }
  }

  signed(answer: Answer<'signed'>): { readonly draft: Draft; readonly signed: Signed<Payload> } | undefined {
    const vote = this.#take(
      (pending) => pending.record === undefined && this.#rules.isAnswer(answer, pending),
    )
    return vote && { draft: vote.draft, signed: answer.signed }
  }

  /** Whether it was one of its own requests, and which. */
  failed(answer: Answer<'failed'>): 'persist' | 'sign' | undefined {
    const vote = this.#take((pending) => this.#rules.isAnswer(answer, pending))
    if (vote === undefined) return undefined
    return vote.record === undefined ? 'sign' : 'persist'
  }

  /** How long the disk lets votes wait is for the status. */
  get isPersisting(): boolean {
    return this.#pending.some(({ record }) => record !== undefined)
  }

  dropBefore({ height, round }: RoundId): void {
    this.#pending = this.#pending.filter(
      (vote) => vote.height > height || (vote.height === height && vote.round >= round),
    )
  }

  #take(isWanted: (vote: PendingVote) => boolean): PendingVote | undefined {
    const at = this.#pending.findIndex(isWanted)
    return at === -1 ? undefined : this.#pending.splice(at, 1)[0]
  }
}
