/** Observations about other validators, to explain a stalled chain and to save traffic. No decision depends on them. */

import type { Action, Now, Report } from '#consensus/bft/events.ts'
import type { BftMessage, RoundId, WireGeneration } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'

export interface LastHeard extends RoundId {
  readonly kind: BftMessage['kind']
  readonly wallMs: number
  /** The generation of its proposals and round changes; undefined if none was seen. */
  readonly generation: WireGeneration | undefined
}

export interface ObservedRefusal extends RoundId {
  readonly author: Address
  readonly what: BftMessage['kind']
  readonly sentence: string
  readonly wallMs: number
}

const MAX_REFUSALS = 16
/** More than any network has. Only validators of the height are added. */
const MAX_AUTHORS = 4_096

export class Observations {
  readonly #heard = new Map<Address, LastHeard>()
  #refusals: readonly ObservedRefusal[] = []

  hear(message: BftMessage, wallMs: number): void {
    const { author, payload } = message.signed
    const generation = 'generation' in message ? message.generation : this.#heard.get(author)?.generation
    if (!this.#heard.has(author) && this.#heard.size >= MAX_AUTHORS) return
    const { height, round, kind } = payload
    this.#heard.set(author, { height, round, kind, wallMs, generation })
  }

  refuse(refusal: ObservedRefusal): void {
    this.#refusals = [...this.#refusals.slice(1 - MAX_REFUSALS), refusal]
  }

  lastHeard(author: Address): LastHeard | undefined {
    return this.#heard.get(author)
  }

  /** Validators whose last message is of this height or a later one. */
  heardSince(height: number): readonly Address[] {
    return [...this.#heard].flatMap(([author, heard]) => (heard.height >= height ? [author] : []))
  }

  get refusals(): readonly ObservedRefusal[] {
    return this.#refusals
  }

  keepOnly(validators: readonly Address[]): void {
    for (const author of this.#heard.keys()) if (!validators.includes(author)) this.#heard.delete(author)
  }
}

/** Reports events of the machine, and keeps refusals for the status. */
export class Reporter {
  readonly #seen: Observations
  readonly #now: () => Now
  readonly #act: (action: Action) => void

  constructor(seen: Observations, now: () => Now, act: (action: Action) => void) {
    this.#seen = seen
    this.#now = now
    this.#act = act
  }

  report(report: Report): void {
    this.#act({ type: 'report', report })
  }

  refuse(message: BftMessage, sentence: string): void {
    const { author, payload } = message.signed
    const { height, round } = payload
    const refusal = { height, round, author, what: message.kind, sentence }
    this.#seen.refuse({ ...refusal, wallMs: this.#now().wallMs })
    this.report({ kind: 'refused', ...refusal })
  }

  equivocation(message: BftMessage): void {
    const { author, payload } = message.signed
    const { height, round } = payload
    this.report({ kind: 'equivocation', height, round, author, what: message.kind })
  }
}
