import type { HeightContext } from '#consensus/bft/events.ts'
import type { BftRules, RuleContext } from '#consensus/bft/rules.ts'

/** What the rules need to know of a height. */
export function ruleContextOf(rules: BftRules, context: HeightContext): RuleContext {
  const { height, validators } = context
  return {
    height,
    validators,
    quorum: rules.quorum(validators.length),
    preparesNeeded: rules.preparesNeeded(validators.length),
    proposerOf: (round) => rules.proposer(context, round),
    withRound: rules.withRound,
  }
}
