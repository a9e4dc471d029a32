/**
 * The rules of QBFT that justify a proposal and a round change: all that follows from the message itself and the
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
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from '#consensus/bft/messages.ts'
import type { RuleContext } from '#consensus/bft/rules.ts'
import type { Hash } from '#types/hash.ts'

export function qbftProposalProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges, prepares } = message
  const { height, round } = signed.payload
  const proposer = context.proposerOf(round)
  if (signed.author !== proposer)
    return `It is of ${signed.author}, and ${proposer} proposes in round ${round}.`
  if (height !== context.height) return `It is for block ${height}, and not ${context.height}.`
  const ofBlock = blockProblem(block, round, context)
  if (ofBlock !== undefined) return ofBlock
  if (round > 0) return justificationProblem(message, context)
  if (roundChanges.length > 0 || prepares.length > 0) return 'It is of round 0 and has a justification.'
  return authorProblem(message)
}

/** Why there is a round above 0, and what may be proposed in it. */
function justificationProblem(message: ProposalMessage, context: RuleContext): string | undefined {
  const { signed, block, roundChanges, prepares } = message
  const { round } = signed.payload
  const ofRoundChanges = roundChangesProblem(roundChanges, round, context)
  if (ofRoundChanges !== undefined) return ofRoundChanges
  const latest = latestClaim(roundChanges)
  if (latest === undefined) {
    if (prepares.length > 0) return 'It holds prepares, and nothing was prepared.'
    return authorProblem(message)
  }
  if (context.withRound(block, latest.round).digest !== latest.digest) {
    return `It is not the block that was prepared in round ${latest.round}.`
  }
  return preparesProblem(prepares, latest, context)
}

function roundChangesProblem(
  roundChanges: readonly Signed<RoundChangePayload>[],
  round: number,
  context: RuleContext,
): string | undefined {
  const { length } = roundChanges
  if (length < context.quorum) return `It holds ${length} round changes, and ${context.quorum} are needed.`
  const ofAuthors = authorsProblem(roundChanges, context)
  if (ofAuthors !== undefined) return ofAuthors
  const digests = new Map<number, Hash>()
  for (const signed of roundChanges) {
    const { payload, author } = signed
    if (payload.round !== round) return `The round change of ${author} is to round ${payload.round}.`
    const ofPayload = payloadProblem(payload, context)
    if (ofPayload !== undefined) return ofPayload
    if (payload.prepared === undefined) continue
    const { round: preparedRound, digest } = payload.prepared
    if ((digests.get(preparedRound) ?? digest) !== digest) {
      return `Two blocks are claimed to be prepared in round ${preparedRound}.`
    }
    digests.set(preparedRound, digest)
  }
  return undefined
}

export function qbftRoundChangeProblem(
  message: RoundChangeMessage,
  context: RuleContext,
): string | undefined {
  const { signed, block, prepares } = message
  const { prepared } = signed.payload
  const ofPayload = authorsProblem([signed], context) ?? payloadProblem(signed.payload, context)
  if (ofPayload !== undefined) return ofPayload
  if (prepared === undefined) return block && 'It has a block, and claims that nothing was prepared.'
  if (block === undefined) return 'It claims that a block was prepared, and has none.'
  if (block.digest !== prepared.digest) return 'Its block is not the one that it claims was prepared.'
  return blockProblem(block, prepared.round, context) ?? preparesProblem(prepares, prepared, context)
}

function payloadProblem(
  { height, round, prepared }: RoundChangePayload,
  context: RuleContext,
): string | undefined {
  if (height !== context.height) return `It is for block ${height}, and not ${context.height}.`
  if (round === 0) return 'Nobody changes to round 0.'
  if (prepared === undefined || prepared.round < round) return undefined
  return `It claims to be prepared in round ${prepared.round}, and changes to round ${round}.`
}

/** A block that nobody prepared before is the proposer's own. */
function authorProblem({ signed, block }: ProposalMessage): string | undefined {
  if (block.header.coinbase === signed.author) return undefined
  return `The block is made by ${block.header.coinbase}, and proposed by ${signed.author}.`
}
