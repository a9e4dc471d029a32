/**
 * The choice of a consensus client: the head, and the safe and finalized blocks below it. Blocks next to the chain are
 * stored, so a choice is a path from the canonical chain through stored blocks.
 */
import type { InvalidBlock, KnownHeader } from '#chain/block/stages.ts'
import type { BlockMark } from '#store/store.ts'
import { equalBytes } from '#types/bytes.ts'
import { type Hash, hashToBytes, ZERO_HASH } from '#types/hash.ts'

/** `valid` was executed; `stored` has a valid header and body, and is executed when it becomes canonical. */
export interface KeptBlock {
  readonly ok: true
  readonly status: 'valid' | 'stored'
  readonly hash: Hash
}

/** `lastValid` is the parent if it is known to be valid. */
export type OfferVerdict = KeptBlock | (InvalidBlock & { readonly lastValid: Hash | undefined })

/** The zero hash names no block. */
export interface ForkChoice {
  readonly head: Hash
  readonly safe: Hash
  readonly finalized: Hash
}

export type ChoiceVerdict =
  /** `isOld` if the block is an ancestor of the head, which stays. */
  | { readonly ok: true; readonly isOld: boolean; readonly timestamp: bigint }
  /** The block or one of its ancestors is not stored. */
  | { readonly ok: false; readonly reason: 'UNKNOWN' }
  /** The safe or finalized block is not an ancestor of the chosen block. */
  | { readonly ok: false; readonly reason: 'INCONSISTENT' }
  /** The fork point lies below the lowest state that is kept. */
  | { readonly ok: false; readonly reason: 'TOO_DEEP'; readonly sentence: string }
  /** `invalid` is the chosen block or an ancestor, and `lastValid` its parent. */
  | {
      readonly ok: false
      readonly reason: 'INVALID'
      readonly sentence: string
      readonly lastValid: Hash
      readonly invalid: Hash
    }

/** The way from the canonical chain to a stored block. */
export interface BranchPath {
  /** Number of the last canonical block. */
  readonly stem: number
  /** The blocks after it, lowest first. */
  readonly branch: readonly KnownHeader[]
}

/** Follows ancestors to the canonical chain. Undefined if one of them, or the block itself, is not known. */
export function pathAlong(
  lineage: Iterable<KnownHeader>,
  isCanonical: (known: KnownHeader) => boolean,
): BranchPath | undefined {
  const branch: KnownHeader[] = []
  for (const known of lineage) {
    if (isCanonical(known)) return { stem: Number(known.header.number), branch: branch.reverse() }
    branch.push(known)
  }
  return undefined
}

/** Undefined if the hash names no block, null if the block is not on the path. */
export function markOn(
  hash: Hash,
  { stem, branch }: BranchPath,
  canonicalNumber: (hash: Hash) => number | undefined,
): BlockMark | undefined | null {
  if (hash === ZERO_HASH) return undefined
  const known = branch.find((each) => each.hash === hash)
  const number = known === undefined ? canonicalNumber(hash) : Number(known.header.number)
  if (number === undefined || (known === undefined && number > stem)) return null
  return { number, hash: hashToBytes(hash) }
}

export function isSameMark(one: BlockMark | undefined, other: BlockMark | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return equalBytes(one.hash, other.hash)
}

/** Says why a branch that leaves the chain below `lowest` cannot become canonical. Complete blocks begin with `first`. */
export function tooDeep({ lowest, first }: { readonly lowest: number; readonly first: number }): string {
  return lowest > first
    ? `States before block ${lowest} are pruned; --bonsai-historical-block-limit keeps more.`
    : `The blocks and states of this node begin with block ${first}, and the branch does not contain it. Check the network of the consensus client, or import a state whose block is on its chain into an empty --data-path.`
}
