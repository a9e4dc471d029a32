/** What the certificates of both protocols have in common. Each function says what is wrong; undefined: nothing. */
import type { Address } from '#types/address.ts'
import type { Hash } from '#types/hash.ts'
import type { Payload, PreparePayload, ProposedBlock, RoundChangePayload, Signed } from './messages.ts'
import type { RuleContext } from './rules.ts'

/** A vote counts once, and only a validator's. */
export function authorsProblem(
  signed: readonly Signed<Payload>[],
  { validators }: RuleContext,
): string | undefined {
  const seen = new Set<Address>()
  for (const { author, payload } of signed) {
    if (!validators.includes(author)) return `${author}, whose ${payload.kind} it holds, is no validator.`
    if (seen.has(author)) return `It holds two of ${author}: ${payload.kind}.`
    seen.add(author)
  }
  return undefined
}

/** That a block was prepared in an earlier round. */
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

/** The block of a message is of the height, and carries the round that the message says. */
export function blockProblem(
  block: ProposedBlock,
  round: number,
  { height, withRound }: RuleContext,
): string | undefined {
  if (block.header.number !== BigInt(height)) {
    return `The block has number ${block.header.number}, and not ${height}.`
  }
  if (withRound(block, round).digest === block.digest) return undefined
  return `The extra data of the block does not say round ${round}.`
}

/** The one that was prepared last; undefined: none claims to have been. */
export function latestClaim(
  roundChanges: readonly Signed<RoundChangePayload>[],
): NonNullable<RoundChangePayload['prepared']> | undefined {
  let latest: RoundChangePayload['prepared']
  for (const { payload } of roundChanges) {
    if (payload.prepared === undefined) continue
    if (latest === undefined || payload.prepared.round > latest.round) latest = payload.prepared
  }
  return latest
}
