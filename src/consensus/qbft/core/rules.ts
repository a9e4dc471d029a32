import { type BaseRuleOptions, createBaseRules } from '#consensus/bft/base-rules.ts'
import { sealProblem } from '#consensus/bft/certificate-problems.ts'
import { quorumOf } from '#consensus/bft/quorum.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { qbftProposalProblem, qbftRoundChangeProblem } from '#consensus/qbft/justification.ts'

/** QBFT: a proposer votes for its own proposal, and round 0 begins when the block is due. */
export function createQbftRules(options: BaseRuleOptions): BftRules {
  return {
    ...createBaseRules('qbft', options),
    preparesNeeded: quorumOf,
    proposalCoversBody: true,
    proposerPrepares: true,
    roundZero: 'whenDue',
    proposalProblem: qbftProposalProblem,
    roundChangeProblem: qbftRoundChangeProblem,
    voteProblem: sealProblem,
  }
}
