/** Who wants which round. A node that fell behind learns from it where the others are, so that no round is too high. */

import type {
  PreparedClaim,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'

/** Of one author, the highest: an honest one only goes up, and another pushes out nothing but its own. */
export const MAX_ROUNDS_PER_AUTHOR = 3

/** `different`: its author claimed something else for that round before; `tooMany`: it asks for enough higher ones. */
export type AddedChange = 'added' | 'known' | 'different' | 'tooMany'

/** The block of a claim, and what proves it beside the claim. */
type Proof = Pick<RoundChangeMessage, 'block' | 'prepares'>

export class RoundChanges {
  /** Without their proofs. Only those are added whose block, if they claim one, was found valid. */
  readonly #rounds = new Map<number, RoundChangeMessage[]>()
  /**
   * By round and digest, as long as a change claims it (a block may have the same digest in several rounds): with a hundred validators their copies would fill the memory, and whoever
   * brought a block first may ask for so many rounds that its changes are dropped.
   */
  readonly #proofs = new Map<string, Proof>()
  readonly #rules: Pick<BftRules, 'collect'>

  constructor(rules: Pick<BftRules, 'collect'>) {
    this.#rules = rules
  }

  add(message: RoundChangeMessage): AddedChange {
    const { author, payload } = message.signed
    const known = this.#rounds.get(payload.round) ?? []
    this.#keepProof(message)
    const signed = this.#rules.collect(
      known.map((change) => change.signed),
      message.signed,
    )
    if (signed.length === known.length) {
      const first = known.find((change) => change.signed.author === author)
      return isSameClaim(first?.signed.payload.prepared, payload.prepared) ? 'known' : 'different'
    }
    this.#rounds.set(payload.round, [...known, { ...message, ...NO_PROOF }])
    const dropped = this.#dropBeyondLimit(author)
    this.#dropUnclaimed()
    return dropped === payload.round ? 'tooMany' : 'added'
  }

  of(round: number): readonly RoundChangeMessage[] {
    return (this.#rounds.get(round) ?? []).map((change) => ({ ...change, ...this.#proofOf(change) }))
  }

  count(round: number): number {
    return this.#rounds.get(round)?.length ?? 0
  }

  all(): Signed<RoundChangePayload>[] {
    return [...this.#rounds.values()].flatMap((changes) => changes.map(({ signed }) => signed))
  }

  /** How many validators are in a round or beyond it. */
  authorsFrom(round: number): number {
    const authors = new Set<Address>()
    for (const [known, changes] of this.#rounds) {
      if (known >= round) for (const { signed } of changes) authors.add(signed.author)
    }
    return authors.size
  }

  dropBelow(round: number): void {
    for (const known of this.#rounds.keys()) if (known < round) this.#rounds.delete(known)
    this.#dropUnclaimed()
  }

  #keepProof({ signed, block, prepares }: RoundChangeMessage): void {
    const { prepared } = signed.payload
    if (prepared === undefined || block === undefined || this.#proofs.has(claimKey(prepared))) return
    this.#proofs.set(claimKey(prepared), { block, prepares })
  }

  #proofOf({ signed }: RoundChangeMessage): Proof {
    const { prepared } = signed.payload
    return (prepared && this.#proofs.get(claimKey(prepared))) ?? NO_PROOF
  }

  #dropUnclaimed(): void {
    if (this.#proofs.size === 0) return
    const claimed = new Set(this.all().map(({ payload }) => payload.prepared && claimKey(payload.prepared)))
    for (const key of this.#proofs.keys()) if (!claimed.has(key)) this.#proofs.delete(key)
  }

  #dropBeyondLimit(author: Address): number | undefined {
    const isBy = ({ signed }: RoundChangeMessage) => signed.author === author
    const rounds = [...this.#rounds].filter(([, changes]) => changes.some(isBy)).map(([round]) => round)
    if (rounds.length <= MAX_ROUNDS_PER_AUTHOR) return undefined
    const lowest = Math.min(...rounds)
    const rest = (this.#rounds.get(lowest) ?? []).filter((change) => !isBy(change))
    if (rest.length === 0) this.#rounds.delete(lowest)
    else this.#rounds.set(lowest, rest)
    return lowest
  }
}

function claimKey({ round, digest }: PreparedClaim): string {
  return `${round}/${digest}`
}

const NO_PROOF: Proof = { block: undefined, prepares: [] }

function isSameClaim(a: PreparedClaim | undefined, b: PreparedClaim | undefined): boolean {
  return a?.round === b?.round && a?.digest === b?.digest
}
