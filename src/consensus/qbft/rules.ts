import { type BaseRuleOptions, createBaseRules } from '#consensus/bft/base-rules.ts'
import type { BftRules } from '#consensus/bft/rules.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'
import { qbftProposalProblem, qbftRoundChangeProblem, qbftVoteProblem } from './justification.ts'

/** QBFT: a proposer votes for its own proposal, and round 0 begins when the block is due. */
export function createQbftRules(options: BaseRuleOptions): BftRules {
  const base = createBaseRules('qbft', options)
  return {
    ...base,
    // Besu puts the round into the block, GoQuorum never does. Their hashes tell blocks apart all the same.
    forms: (block, round) => [base.withRound(block, round), base.withRound(block, 0)],
    sentForm: (block, round, heardPlain) => base.withRound(block, heardPlain ? 0 : round),
    preparesNeeded: quorumOf,
    proposalCoversBody: true,
    proposerPrepares: true,
    roundZero: 'whenDue',
    proposalProblem: qbftProposalProblem,
    roundChangeProblem: qbftRoundChangeProblem,
    voteProblem: qbftVoteProblem,
  }
}
