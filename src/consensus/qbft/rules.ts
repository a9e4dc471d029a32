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
import type { Hash } from '#types/hash.ts'

/** QBFT: a proposer prepares its own proposal, and round 0 begins when the block is due. */
export function createQbftRules(options: BaseRuleOptions): BftRules {
  const base = createBaseRules('qbft', options)
  return {
    ...base,
    // Besu writes the round into the block, GoQuorum does not. The hashes still tell blocks apart.
    forms: (block, round) => [base.withRound(block, round), base.withRound(block, 0)],
    sentForm: (block, round, heardPlain) => base.withRound(block, heardPlain ? 0 : round),
    preparesNeeded: quorumOf,
    proposalCoversBody: true,
    proposerPrepares: true,
    roundZero: 'whenDue',
    proposalProblem: qbftProposalProblem,
    roundChangeProblem: qbftRoundChangeProblem,
    prepareOrCommitProblem: qbftPrepareOrCommitProblem,
  }
}

/** Like the checks below, returns the problem or undefined, without executing the block. */
export function qbftProposalProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges, prepares } = message
  const { round } = signed.payload
  const problem = proposalPayloadProblem(signed, context) ?? blockProblem(block, round, context)
  if (problem !== undefined) return problem
  if (round > 0) return justificationProblem(message, context)
  if (roundChanges.length > 0 || prepares.length > 0) return 'It is of round 0 and has a justification.'
  return authorProblem(message)
}

/** Checks why there is a round above 0 and what may be proposed in it. */
function justificationProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges, prepares } = message
  // Only the latest claim is proved; two different claims for one round cannot both be true.
  const digests = new Map<number, Hash>()
  const payloadProblem = (payload: RoundChangePayload) =>
    roundChangePayloadProblem(payload, context) ?? conflictProblem(payload, digests)
  const ofRoundChanges = roundChangesProblem(roundChanges, signed.payload.round, context, payloadProblem)
  if (ofRoundChanges !== undefined) return ofRoundChanges
  const latest = latestClaim(roundChanges)
  if (latest === undefined) {
    if (prepares.length > 0) return 'It holds prepares, and nothing was prepared.'
    return authorProblem(message)
  }
  return reproposalProblem(block, latest, context) ?? preparesProblem(prepares, latest, context)
}

/** `digests` are the earlier claims by prepared round. */
function conflictProblem({ prepared }: RoundChangePayload, digests: Map<number, Hash>): string | undefined {
  if (prepared === undefined) return undefined
  const { round, digest } = prepared
  if ((digests.get(round) ?? digest) !== digest) {
    return `Two blocks are claimed to be prepared in round ${round}.`
  }
  digests.set(round, digest)
  return undefined
}

export function qbftRoundChangeProblem(
  message: RoundChangeMessage,
  context: RuleContext,
): string | undefined {
  const { signed, prepares } = message
  const { prepared } = signed.payload
  return (
    authorsProblem([signed], context) ??
    roundChangePayloadProblem(signed.payload, context) ??
    preparedBlockProblem(message, context) ??
    (prepared && preparesProblem(prepares, prepared, context))
  )
}

/** Above round 0 the block determines what a seal signs, because the digest may be that of round 0. */
export function qbftPrepareOrCommitProblem(
  message: PrepareMessage | CommitMessage,
  context: RuleContext,
  sealed?: Hash,
): string | undefined {
  const { round, digest } = message.signed.payload
  const known = sealed ?? (round === 0 ? digest : undefined)
  return known === undefined ? undefined : sealProblem(message, known, context)
}

/** A block that was not prepared before must be the proposer's own. */
function authorProblem({ signed, block }: ProposalMessage): string | undefined {
  if (block.header.coinbase === signed.author) return undefined
  return `The block names the proposer ${block.header.coinbase}, but ${signed.author} proposed it.`
}
