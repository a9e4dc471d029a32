/**
 * The rules of IBFT 2.0 that justify a proposal and a round change: all that follows from the message itself and the
 * validators of the height. That the block is valid is found out by executing it. Each function says what is wrong, as
 * a sentence; undefined: nothing.
 */
import {
  authorsProblem,
  blockProblem,
  latestClaim,
  preparesProblem,
} from '#consensus/bft/certificate-problems.ts'
import type {
  ProposalMessage,
  ProposalPayload,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from '#consensus/bft/messages.ts'
import type { RuleContext } from '#consensus/bft/rules.ts'

export function ibft2ProposalProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges } = message
  const { round, digest } = signed.payload
  const ofPayload = proposalPayloadProblem(signed, context)
  if (ofPayload !== undefined) return ofPayload
  if (digest !== block.digest) return 'It names another block than the one that it holds.'
  const ofBlock = blockProblem(block, round, context)
  if (ofBlock !== undefined) return ofBlock
  if (round > 0) return certificateProblem(message, context)
  return roundChanges.length > 0 ? 'It is of round 0 and has a certificate.' : undefined
}

/** Why there is a round above 0, and what may be proposed in it. */
function certificateProblem(
  { signed, block, roundChanges }: ProposalMessage,
  context: RuleContext,
): string | undefined {
  const { length } = roundChanges
  if (length < context.quorum) return `It holds ${length} round changes, and ${context.quorum} are needed.`
  const ofAuthors = authorsProblem(roundChanges, context)
  if (ofAuthors !== undefined) return ofAuthors
  for (const { payload, author } of roundChanges) {
    if (payload.round !== signed.payload.round) {
      return `The round change of ${author} is to round ${payload.round}.`
    }
    const ofPayload = roundChangePayloadProblem(payload, context)
    if (ofPayload !== undefined) return ofPayload
  }
  const latest = latestClaim(roundChanges)
  if (latest === undefined || context.withRound(block, latest.round).digest === latest.digest)
    return undefined
  return `It is not the block that was prepared in round ${latest.round}.`
}

export function ibft2RoundChangeProblem(
  { signed, block }: RoundChangeMessage,
  context: RuleContext,
): string | undefined {
  const { prepared } = signed.payload
  const ofPayload = authorsProblem([signed], context) ?? roundChangePayloadProblem(signed.payload, context)
  if (ofPayload !== undefined) return ofPayload
  if (prepared === undefined) return block && 'It has a block, and claims that nothing was prepared.'
  if (block === undefined) return 'It claims that a block was prepared, and has none.'
  if (block.digest !== prepared.digest) return 'Its block is not the one that it claims was prepared.'
  return blockProblem(block, prepared.round, context)
}

function roundChangePayloadProblem(
  { height, round, prepared }: RoundChangePayload,
  context: RuleContext,
): string | undefined {
  if (height !== context.height) return `It is for block ${height}, and not ${context.height}.`
  if (round === 0) return 'Nobody changes to round 0.'
  if (prepared === undefined) return undefined
  if (prepared.round >= round) {
    return `It claims to be prepared in round ${prepared.round}, and changes to round ${round}.`
  }
  const { proof } = prepared
  if (proof === undefined) return 'It claims that a block was prepared, and does not prove it.'
  const proposer = context.proposerOf(prepared.round)
  if (proof.prepares.some(({ author }) => author === proposer)) {
    return `It holds a prepare of ${proposer}, who proposed in round ${prepared.round} and prepares nothing.`
  }
  return proposalPayloadProblem(proof.proposal, context) ?? preparesProblem(proof.prepares, prepared, context)
}

function proposalPayloadProblem(
  { author, payload }: Signed<ProposalPayload>,
  context: RuleContext,
): string | undefined {
  const { height, round } = payload
  const proposer = context.proposerOf(round)
  if (author !== proposer) return `It is of ${author}, and ${proposer} proposes in round ${round}.`
  return height === context.height ? undefined : `It is for block ${height}, and not ${context.height}.`
}
