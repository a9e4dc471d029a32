/** What the node observed of other validators, to explain why a chain does not move. No decision depends on it. */

import type { BftMessage, RoundId, WireGeneration } from '#consensus/bft/messages.ts'
import type { Address } from '#types/address.ts'

export interface LastHeard extends RoundId {
  readonly kind: BftMessage['kind']
  readonly wallMs: number
  /** Of its proposals and round changes, which alone differ; undefined: none was seen. */
  readonly generation: WireGeneration | undefined
}

export interface ObservedRefusal extends RoundId {
  readonly author: Address
  readonly what: BftMessage['kind']
  readonly sentence: string
  readonly wallMs: number
}

const MAX_REFUSALS = 16
/** More than any network has; strangers cannot get in, the validators of the height can. */
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

  get refusals(): readonly ObservedRefusal[] {
    return this.#refusals
  }

  keepOnly(validators: readonly Address[]): void {
    for (const author of this.#heard.keys()) if (!validators.includes(author)) this.#heard.delete(author)
  }
}
