/** Certificate checks that both protocols share. Each returns the problem, or undefined. */
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type {
  CommitMessage,
  Payload,
  PreparedClaim,
  PrepareMessage,
  PreparePayload,
  ProposalPayload,
  ProposedBlock,
  RoundChangeMessage,
  RoundChangePayload,
  Signed,
} from './messages.ts'
import type { RuleContext } from './rules.ts'

/** Each validator counts once, and no one else. */
export function authorsProblem(
  signed: readonly Signed<Payload>[],
  { validators }: RuleContext,
): string | undefined {
  const seen = new Set<Address>()
  for (const { author, payload } of signed) {
    if (!validators.includes(author))
      return `It holds a ${payload.kind} of ${author}, which is not a validator.`
    if (seen.has(author)) return `It holds two of ${author}: ${payload.kind}.`
    seen.add(author)
  }
  return undefined
}

/** Checks the proposer of the round and the height. */
export function proposalPayloadProblem(
  { author, payload }: Signed<ProposalPayload>,
  context: RuleContext,
): string | undefined {
  const { height, round } = payload
  const proposer = context.proposerOf(round)
  if (author !== proposer) return `It is of ${author}, and ${proposer} proposes in round ${round}.`
  return heightProblem(height, context)
}

/** Checks a round change without the proof of its claim, which differs by protocol. */
export function roundChangePayloadProblem(
  { height, round, prepared }: RoundChangePayload,
  context: RuleContext,
): string | undefined {
  const ofHeight = heightProblem(height, context)
  if (ofHeight !== undefined) return ofHeight
  if (round === 0) return 'A round change to round 0 is not possible.'
  if (prepared === undefined || prepared.round < round) return undefined
  return `It claims to be prepared in round ${prepared.round}, and changes to round ${round}.`
}

/** Checks for a quorum of round changes to this round; `payloadProblem` is the protocol's check of each. */
export function roundChangesProblem(
  roundChanges: readonly Signed<RoundChangePayload>[],
  round: number,
  context: RuleContext,
  payloadProblem: (payload: RoundChangePayload, context: RuleContext) => string | undefined,
): string | undefined {
  const { length } = roundChanges
  if (length < context.quorum) return `It holds ${length} round changes, and ${context.quorum} are needed.`
  const ofAuthors = authorsProblem(roundChanges, context)
  if (ofAuthors !== undefined) return ofAuthors
  for (const { payload, author } of roundChanges) {
    if (payload.round !== round) return `The round change of ${author} is to round ${payload.round}.`
    const ofPayload = payloadProblem(payload, context)
    if (ofPayload !== undefined) return ofPayload
  }
  return undefined
}

/** Checks that the block is the claimed prepared block, if there is a claim. */
export function preparedBlockProblem(
  { signed, block }: RoundChangeMessage,
  context: RuleContext,
): string | undefined {
  const { prepared } = signed.payload
  if (prepared === undefined) return block && 'It has a block, and claims that nothing was prepared.'
  if (block === undefined) return 'It claims a prepared block but holds none.'
  if (block.digest !== prepared.digest) return 'Its block differs from the prepared block it claims.'
  return blockProblem(block, prepared.round, context)
}

/** Checks that the proposal is the block that was prepared last. */
export function reproposalProblem(
  block: ProposedBlock,
  latest: PreparedClaim,
  { forms }: RuleContext,
): string | undefined {
  if (forms(block, latest.round).some(({ digest }) => digest === latest.digest)) return undefined
  return `It is not the block that was prepared in round ${latest.round}.`
}

/** Checks that a block was prepared in an earlier round. */
export function preparesProblem(
  prepares: readonly Signed<PreparePayload>[],
  prepared: { readonly round: number; readonly digest: Hash },
  context: RuleContext,
): string | undefined {
  const { height, preparesNeeded } = context
  if (prepares.length < preparesNeeded) {
    return `It holds ${prepares.length} prepares, and ${preparesNeeded} are needed.`
  }
  for (const { payload, author } of prepares) {
    if (payload.height === height && payload.round === prepared.round && payload.digest === prepared.digest) {
      continue
    }
    return `The prepare of ${author} is not for round ${prepared.round} of block ${height} and ${prepared.digest}.`
  }
  return authorsProblem(prepares, context)
}

/** Checks the seal of a commit, which goes into the block. `sealed` is the block's hash in the round of the commit. */
export function sealProblem(
  { signed }: PrepareMessage | CommitMessage,
  sealed: Hash,
  { sealAuthor }: Pick<RuleContext, 'sealAuthor'>,
): string | undefined {
  const { author, payload } = signed
  if (payload.kind === 'prepare' || sealAuthor(payload, sealed) === author) return undefined
  return 'Its seal was not made by its author.'
}

/** Checks the height of a block and that it has one of the allowed forms for the round. */
export function blockProblem(
  block: ProposedBlock,
  round: number,
  { height, forms }: RuleContext,
): string | undefined {
  if (block.header.number !== BigInt(height)) {
    return `The block has number ${block.header.number}, and not ${height}.`
  }
  if (forms(block, round).some(({ digest }) => digest === block.digest)) return undefined
  return `The extra data of the block does not say round ${round}.`
}

/** The claim of the highest round; undefined if there is none. */
export function latestClaim(roundChanges: readonly Signed<RoundChangePayload>[]): PreparedClaim | undefined {
  let latest: PreparedClaim | undefined
  for (const { payload } of roundChanges) {
    if (payload.prepared === undefined) continue
    if (latest === undefined || payload.prepared.round > latest.round) latest = payload.prepared
  }
  return latest
}

function heightProblem(height: number, context: RuleContext): string | undefined {
  return height === context.height ? undefined : `It is for block ${height}, and not ${context.height}.`
}
