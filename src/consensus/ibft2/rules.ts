import { type BaseRuleOptions, createBaseRules } from '#consensus/bft/base-rules.ts'
import {
  authorsProblem,
  blockProblem,
  latestClaim,
  preparedBlockProblem,
  preparesProblem,
  proposalPayloadProblem,
  reproposalProblem,
  roundChangePayloadProblem,
  roundChangesProblem,
  sealProblem,
} from '#consensus/bft/certificate-problems.ts'
import type {
  CommitMessage,
  PrepareMessage,
  ProposalMessage,
  RoundChangeMessage,
  RoundChangePayload,
} from '#consensus/bft/messages.ts'
import type { BftRules, RuleContext } from '#consensus/bft/rules.ts'
import { quorumOf } from '#types/block/bft-quorum.ts'

/** IBFT 2.0: a proposal counts as the proposer's prepare, and round 0 begins with the height. */
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
    prepareOrCommitProblem: ibft2PrepareOrCommitProblem,
  }
}

/** Like the checks below, returns the problem or undefined, without executing the block. */
export function ibft2ProposalProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges } = message
  const { round, digest } = signed.payload
  const ofPayload = proposalPayloadProblem(signed, context)
  if (ofPayload !== undefined) return ofPayload
  if (digest !== block.digest) return 'The block it names differs from the block it holds.'
  const ofBlock = blockProblem(block, round, context)
  if (ofBlock !== undefined) return ofBlock
  if (round > 0) return certificateProblem(message, context)
  return roundChanges.length > 0 ? 'It is of round 0 and has a certificate.' : undefined
}

/** Checks why there is a round above 0 and what may be proposed in it. */
function certificateProblem(
  { signed, block, roundChanges }: ProposalMessage,
  context: RuleContext,
): string | undefined {
  const ofRoundChanges = roundChangesProblem(
    roundChanges,
    signed.payload.round,
    context,
    provenPayloadProblem,
  )
  if (ofRoundChanges !== undefined) return ofRoundChanges
  const latest = latestClaim(roundChanges)
  return latest && reproposalProblem(block, latest, context)
}

export function ibft2RoundChangeProblem(
  message: RoundChangeMessage,
  context: RuleContext,
): string | undefined {
  const { signed } = message
  return (
    authorsProblem([signed], context) ??
    provenPayloadProblem(signed.payload, context) ??
    preparedBlockProblem(message, context)
  )
}

/** The proposal counts as the proposer's prepare. */
export function ibft2PrepareOrCommitProblem(
  message: PrepareMessage | CommitMessage,
  context: RuleContext,
): string | undefined {
  const { author, payload } = message.signed
  if (payload.kind === 'prepare' && author === context.proposerOf(payload.round)) {
    return 'The proposer of a round does not prepare in IBFT 2.0.'
  }
  return sealProblem(message, payload.digest, context)
}

/** Checks a payload including the proof of its claim. */
function provenPayloadProblem(payload: RoundChangePayload, context: RuleContext): string | undefined {
  const { prepared } = payload
  const ofPayload = roundChangePayloadProblem(payload, context)
  if (ofPayload !== undefined || prepared === undefined) return ofPayload
  const { proof } = prepared
  if (proof === undefined) return 'It claims that a block was prepared, and does not prove it.'
  const proposer = context.proposerOf(prepared.round)
  if (proof.prepares.some(({ author }) => author === proposer)) {
    return `It holds a prepare of ${proposer}, who proposed in round ${prepared.round} and prepares nothing.`
  }
  return proposalPayloadProblem(proof.proposal, context) ?? preparesProblem(proof.prepares, prepared, context)
}
