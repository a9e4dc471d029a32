/**
 * Round changes whose block is being validated by the writer: the prepares prove only the header, and the body may be false.
 * They do not count before the answer. A peer that sends false ones uses up only its own capacity.
 */
import type { Delivery, RequestKey } from '#consensus/bft/events.ts'
import type { ProposedBlock, RoundChangeMessage } from '#consensus/bft/messages.ts'
import type { BftRules } from '#consensus/bft/rules.ts'

/** Maximum concurrent checks per peer. An honest peer relays only valid blocks, rarely more than one. */
export const MAX_CHECKS_PER_PEER = 3

interface WaitingChange {
  readonly message: RoundChangeMessage
  readonly delivery: Delivery
}

interface Check {
  /** Undefined if the writer could not answer. */
  readonly key: RequestKey | undefined
  readonly block: ProposedBlock
  readonly waiting: readonly WaitingChange[]
}

export interface ClaimCheckParts {
  readonly rules: Pick<BftRules, 'isAnswer' | 'isSameBlock'>
  /** Asks the writer to validate a block. */
  readonly validate: (block: ProposedBlock) => RequestKey
  readonly cancel: (id: number) => void
}

export class ClaimChecks {
  #checks: readonly Check[] = []
  readonly #parts: ClaimCheckParts

  constructor(parts: ClaimCheckParts) {
    this.#parts = parts
  }

  /** Returns false if the peer has too many checks already. */
  add(message: RoundChangeMessage, block: ProposedBlock, delivery: Delivery): boolean {
    const added = { message, delivery }
    const same = this.#checks.find((check) => this.#isSame(check.block, block))
    if (same !== undefined) {
      if (same.waiting.some((change) => isSameChange(change, added))) return true
      this.#replace(same, { ...same, waiting: [...same.waiting, added] })
      return true
    }
    const isOfPeer = ({ waiting }: Check) => waiting.some((change) => change.delivery.from === delivery.from)
    if (this.#checks.filter(isOfPeer).length >= MAX_CHECKS_PER_PEER) return false
    this.#checks = [...this.#checks, { key: this.#parts.validate(block), block, waiting: [added] }]
    return true
  }

  /** Returns the round changes that waited for the answer; undefined if there are none. */
  finish(answer: RequestKey): Pick<Check, 'block' | 'waiting'> | undefined {
    const check = this.#asked(answer)
    if (check !== undefined) this.#checks = this.#checks.filter((other) => other !== check)
    return check
  }

  /** Returns whether the answer belongs to a check, which will be repeated. */
  failed(answer: RequestKey): boolean {
    const check = this.#asked(answer)
    if (check === undefined) return false
    this.#replace(check, { ...check, key: undefined })
    return true
  }

  /** Repeats all checks, since an answer may never arrive. */
  askAgain(): void {
    this.#checks = this.#checks.map((check) => {
      this.#cancel(check)
      return { ...check, key: this.#parts.validate(check.block) }
    })
  }

  dropBelow(round: number): void {
    const left = this.#checks.map((check) => ({
      ...check,
      waiting: check.waiting.filter(({ message }) => message.signed.payload.round >= round),
    }))
    for (const check of left) if (check.waiting.length === 0) this.#cancel(check)
    this.#checks = left.filter(({ waiting }) => waiting.length > 0)
  }

  #isSame(known: ProposedBlock, block: ProposedBlock): boolean {
    return known.digest === block.digest && this.#parts.rules.isSameBlock(known, block)
  }

  #asked(answer: RequestKey): Check | undefined {
    return this.#checks.find(({ key }) => key !== undefined && this.#parts.rules.isAnswer(answer, key))
  }

  #replace(old: Check, changed: Check): void {
    this.#checks = this.#checks.map((check) => (check === old ? changed : check))
  }

  #cancel({ key }: Check): void {
    if (key !== undefined) this.#parts.cancel(key.id)
  }
}

function isSameChange(one: WaitingChange, other: WaitingChange): boolean {
  const [a, b] = [one.message.signed, other.message.signed]
  return a.author === b.author && a.payload.round === b.payload.round
}
