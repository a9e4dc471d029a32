/** Which messages with reasons beside them hold, and which of those are passed on. */
import type { Delivery } from '#consensus/bft/events.ts'
import type { ProposalMessage, RoundChangeMessage } from '#consensus/bft/messages.ts'
import type { BftRules, RuleContext } from '#consensus/bft/rules.ts'
import type { ValidBlocks } from './valid-blocks.ts'

type Justified = ProposalMessage | RoundChangeMessage

export class Judge {
  readonly #rules: BftRules
  readonly #context: RuleContext
  readonly #valid: ValidBlocks

  constructor(rules: BftRules, context: RuleContext, valid: ValidBlocks) {
    this.#rules = rules
    this.#context = context
    this.#valid = valid
  }

  problemOf(message: Justified): string | undefined {
    return message.kind === 'proposal'
      ? this.#rules.proposalProblem(message, this.#context)
      : this.#rules.roundChangeProblem(message, this.#context)
  }

  /**
   * What was judged: no signature covers its reasons, so that whoever hears it could have everyone pass on any number of
   * false forms. Not a block whose body no signature covers and nobody looked at.
   */
  passOn(message: Justified, delivery: Delivery): void {
    const isCovered = message.kind === 'proposal' && this.#rules.proposalCoversBody
    if (message.block === undefined || isCovered || this.#valid.has(message.block)) delivery.passOn()
  }
}
