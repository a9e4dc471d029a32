/**
 * The only way to a signature: the draft is checked against the log, recorded, made durable and only then signed. Requests of
 * rounds that were left are dropped; an entry that was never signed still binds and is harmless.
 */
import type { Action, Event, RequestKey, SignatureEntry } from '#consensus/bft/events.ts'
import type { Draft, Payload, PreparedCertificate, RoundId, Signed } from '#consensus/bft/messages.ts'
import { emptyEntry } from '#consensus/bft/record-signature.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { OwnPast } from './own-past.ts'

interface PendingSignature extends RequestKey {
  readonly draft: Draft
  /** The log entry that must be durable first; undefined once it is. */
  readonly entry: SignatureEntry | undefined
}

type Answer<Type extends Event['type']> = Event & { readonly type: Type }

export class Signing {
  #entry: SignatureEntry | undefined
  #durable: SignatureEntry | undefined
  #pending: PendingSignature[] = []
  readonly #rules: BftRules
  readonly #past: OwnPast

  constructor(rules: BftRules, loaded: SignatureEntry | undefined, past: OwnPast) {
    this.#rules = rules
    this.#past = past
    this.#entry = loaded
    this.#durable = loaded
  }

  /** The log entry that binds this node, durable or about to be. */
  get entry(): SignatureEntry | undefined {
    return this.#entry
  }

  /**
   * Records that the chain reached a height: a log older than the chain at the next start was lost or comes from a backup.
   * Returns undefined if that is recorded already.
   */
  reach(height: number, id: number): Action | undefined {
    if (this.#entry !== undefined && this.#entry.height >= height) return undefined
    this.#entry = { ...emptyEntry({ height, round: 0 }), knownTo: this.#past.knownTo }
    return { type: 'persist', id, height, round: 0, entry: this.#entry }
  }

  /** Records that nothing was signed yet. Returns undefined if there is an entry already. */
  begin(id: number): Action | undefined {
    if (this.#entry !== undefined) return undefined
    this.#entry = emptyEntry({ height: 0, round: 0 })
    return { type: 'persist', id, height: 0, round: 0, entry: this.#entry }
  }

  /** Returns undefined if the signature would contradict the log. */
  ask(draft: Draft, certificate: PreparedCertificate | undefined, id: number): Action | undefined {
    const recorded = this.#rules.recordSignature(this.#entry, draft, certificate)
    if (recorded === undefined) return undefined
    const entry = recorded === this.#entry ? recorded : { ...recorded, knownTo: this.#past.knownTo }
    this.#entry = entry
    const key: RequestKey = { id, height: draft.height, round: draft.round }
    const isDurable = entry === this.#durable
    this.#pending.push({ ...key, draft, entry: isDurable ? undefined : entry })
    return isDurable ? { type: 'sign', ...key, draft } : { type: 'persist', ...key, entry }
  }

  persisted(answer: Answer<'persisted'>): Action | undefined {
    const at = this.#pending.findIndex((pending) => pending.entry && this.#rules.isAnswer(answer, pending))
    const found = this.#pending[at]
    if (found === undefined) return undefined
    this.#durable = found.entry
    this.#pending[at] = { ...found, entry: undefined }
    const { id, height, round, draft } = found
    return { type: 'sign', id, height, round, draft }
  }

  signed(answer: Answer<'signed'>): { readonly draft: Draft; readonly signed: Signed<Payload> } | undefined {
    const taken = this.#take(
      (pending) => pending.entry === undefined && this.#rules.isAnswer(answer, pending),
    )
    return taken && { draft: taken.draft, signed: answer.signed }
  }

  /** Returns the kind of the failed request if it is one of these. */
  failed(answer: Answer<'failed'>): 'persist' | 'sign' | undefined {
    const taken = this.#take((pending) => this.#rules.isAnswer(answer, pending))
    if (taken === undefined) return undefined
    return taken.entry === undefined ? 'sign' : 'persist'
  }

  /** Shown in the status. */
  get isPersisting(): boolean {
    return this.#pending.some(({ entry }) => entry !== undefined)
  }

  dropBefore({ height, round }: RoundId): void {
    this.#pending = this.#pending.filter(
      (pending) => pending.height > height || (pending.height === height && pending.round >= round),
    )
  }

  #take(isWanted: (pending: PendingSignature) => boolean): PendingSignature | undefined {
    const at = this.#pending.findIndex(isWanted)
    return at === -1 ? undefined : this.#pending.splice(at, 1)[0]
  }
}
