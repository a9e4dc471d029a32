import type { RequestKey } from '#consensus/bft/events.ts'
import type { BftRules } from '#consensus/bft/rules.ts'

export type WorkKind = 'build' | 'validate' | 'import'

/** The one request about a block that the round waits for; answers to others are too late. */
export class Work {
  #current: (RequestKey & { readonly kind: WorkKind }) | undefined
  readonly #isAnswer: BftRules['isAnswer']

  constructor(isAnswer: BftRules['isAnswer']) {
    this.#isAnswer = isAnswer
  }

  start(kind: WorkKind, key: RequestKey): RequestKey {
    this.#current = { ...key, kind }
    return key
  }

  finish(kind: WorkKind, answer: RequestKey): boolean {
    if (this.#current?.kind !== kind || !this.#isAnswer(answer, this.#current)) return false
    this.#current = undefined
    return true
  }

  failed(answer: RequestKey): WorkKind | undefined {
    const kind = this.#current?.kind
    return kind !== undefined && this.finish(kind, answer) ? kind : undefined
  }

  /** Returns the id of the cancelled request. An import is never cancelled, because a quorum committed the block. */
  cancel(): number | undefined {
    const work = this.#current
    this.#current = undefined
    return work === undefined || work.kind === 'import' ? undefined : work.id
  }
}
