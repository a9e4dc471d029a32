import { type BaseRuleOptions, createBaseRules } from '#consensus/bft/base-rules.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'
import { ibft2ProposalProblem, ibft2RoundChangeProblem, ibft2VoteProblem } from './justification.ts'

/** IBFT 2.0: a proposal stands for the proposer's own vote, and round 0 begins with the height. */
export function createIbft2Rules(options: BaseRuleOptions): BftRules {
  const base = createBaseRules('ibft2', options)
  return {
    ...base,
    forms: (block, round) => [base.withRound(block, round)],
    sentForm: base.withRound,
    preparesNeeded: (validators) => quorumOf(validators) - 1,
    proposalCoversBody: false,
    proposerPrepares: false,
    roundZero: 'withHeight',
    proposalProblem: ibft2ProposalProblem,
    roundChangeProblem: ibft2RoundChangeProblem,
    voteProblem: ibft2VoteProblem,
  }
}
