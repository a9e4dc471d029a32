/** The requested rounds by validator. A node that fell behind learns the current round from them, so no round is too high. */

import type {
  PreparedClaim,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import type { Address } from '#types/address.ts'

/** Maximum rounds kept per author, the highest: honest validators only go up, and others only evict their own. */
export const MAX_ROUNDS_PER_AUTHOR = 3

/** `different`: the author claimed something else for the round before. `tooMany`: the author asks for enough higher rounds. */
export type AddedChange = 'added' | 'known' | 'different' | 'tooMany'

/** The claimed block and its proof. */
type Proof = Pick<RoundChangeMessage, 'block' | 'prepares'>

export class RoundChanges {
  /** Round changes without proofs. Claimed blocks were validated before. */
  readonly #rounds = new Map<number, RoundChangeMessage[]>()
  /**
   * Proofs by round and digest while a round change claims them; a block may have the same digest in several rounds. Copies for
   * a hundred validators would fill the memory, and the first author may ask for so many rounds that its round changes are
   * dropped.
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

  /** Number of validators in this round or a later one. */
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
