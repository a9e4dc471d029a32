import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'
import { assert } from '#types/assert.ts'
import type { Hash } from '#types/hash.ts'

/** One block further on the way from where a follower stands to the head. */
export interface HeadStep {
  readonly kind: 'added' | 'removed'
  readonly block: KnownHeader
  /** Where the follower stands then. */
  readonly position: HeadMark
}

/**
 * Down while the block has left the chain, up from there, never past the head that was announced: whoever is told of a
 * block and asks for it finds it. undefined: it stands at the head; or the head has left the chain since it was announced,
 * and the next announcement is on its way.
 */
export function stepTowards({ lookup }: ChainView, position: HeadMark, head: HeadMark): HeadStep | undefined {
  while (position.hash !== head.hash && lookup.isCanonical(head.hash)) {
    if (!lookup.isCanonical(position.hash)) {
      const block = headerOf(lookup, position.hash)
      const number = position.number - 1
      return { kind: 'removed', block, position: { number, hash: block.header.parentHash } }
    }
    if (position.number >= head.number) return undefined
    const block = lookup.header(position.number + 1)
    // Else the chain was reorganised between two reads: look again.
    if (block?.header.parentHash === position.hash) {
      return { kind: 'added', block, position: { number: position.number + 1, hash: block.hash } }
    }
  }
  return undefined
}

export function headerOf(lookup: ChainView['lookup'], hash: Hash): KnownHeader {
  const known = lookup.header(hash)
  assert(known !== undefined, 'Blocks that left the chain are kept as siblings.')
  return known
}

export function markOf({ hash, header }: KnownHeader): HeadMark {
  return { number: Number(header.number), hash }
}
