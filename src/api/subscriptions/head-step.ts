import { headerOf } from '#api/filters/filter-changes.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView, HeadMark } from '#chain/read/chain-view.ts'

/** One block on the way from a follower's position to the head. */
export interface HeadStep {
  readonly kind: 'added' | 'removed'
  readonly block: KnownHeader
  /** The position after this step. */
  readonly position: HeadMark
}

/**
 * Down while the block is not canonical, then up, never past the announced head, so clients can read every reported
 * block. Undefined at the head, or if the head has left the chain since it was announced and the next announcement is
 * on its way.
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
    // Otherwise the chain was reorganised between two reads.
    if (block?.header.parentHash === position.hash) {
      return { kind: 'added', block, position: { number: position.number + 1, hash: block.hash } }
    }
  }
  return undefined
}

export function markOf({ hash, header }: KnownHeader): HeadMark {
  return { number: Number(header.number), hash }
}
