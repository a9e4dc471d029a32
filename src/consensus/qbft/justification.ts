/**
 * The rules of QBFT that justify a proposal and a round change: all that follows from the message itself and the
 * validators of the height. That the block is valid is found out by executing it. Each function says what is wrong, as
 * a sentence; undefined: nothing.
 */
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
import type { RuleContext } from '#consensus/bft/rules.ts'
import type { Hash } from '#types/hash.ts'

export function qbftProposalProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges, prepares } = message
  const { round } = signed.payload
  const problem = proposalPayloadProblem(signed, context) ?? blockProblem(block, round, context)
  if (problem !== undefined) return problem
  if (round > 0) return justificationProblem(message, context)
  if (roundChanges.length > 0 || prepares.length > 0) return 'It is of round 0 and has a justification.'
  return authorProblem(message)
}

/** Why there is a round above 0, and what may be proposed in it. */
function justificationProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges, prepares } = message
  // Only the latest claim is proved; two for one round that differ cannot both be true.
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

/** `digests`: what those before it claim, by the round in which it was prepared. */
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

/** Above round 0 only the block tells what a seal has to be over: the digest may be that of the block in round 0. */
export function qbftVoteProblem(
  message: PrepareMessage | CommitMessage,
  context: RuleContext,
  sealed?: Hash,
): string | undefined {
  const { round, digest } = message.signed.payload
  const known = sealed ?? (round === 0 ? digest : undefined)
  return known === undefined ? undefined : sealProblem(message, known, context)
}

/** A block that nobody prepared before is the proposer's own. */
function authorProblem({ signed, block }: ProposalMessage): string | undefined {
  if (block.header.coinbase === signed.author) return undefined
  return `The block is made by ${block.header.coinbase}, and proposed by ${signed.author}.`
}
