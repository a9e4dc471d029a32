/** The place of the block access list in messages from 26.1 on, empty before Amsterdam. */
import type { ProposedBlock } from '#consensus/bft/messages.ts'
import { EMPTY_STRING, isItem } from './read-items.ts'

/** undefined in messages up to 25.12, which have no place for it. */
export function decodeAccessList(item: Uint8Array | undefined): Uint8Array | undefined {
  return item === undefined || isItem(item, EMPTY_STRING) ? undefined : item
}

export function encodeAccessList(block: ProposedBlock | undefined): Uint8Array {
  return block?.accessList ?? EMPTY_STRING
}
