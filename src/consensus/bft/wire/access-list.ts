/** The place of the block access list in messages from 26.1 on, empty before Amsterdam. */
import type { ProposedBlock, WireGeneration } from '#consensus/bft/messages.ts'
import { EMPTY_STRING, isItem } from './read-items.ts'

/** undefined in messages up to 25.12, which have no place for it. */
export function decodeAccessList(item: Uint8Array | undefined): Uint8Array | undefined {
  return item === undefined || isItem(item, EMPTY_STRING) ? undefined : item
}

/** What a message of the generation has in that place. */
export function accessListItems(
  generation: WireGeneration,
  block: ProposedBlock | undefined,
): readonly Uint8Array[] {
  return generation === 'legacy' ? [] : [block?.accessList ?? EMPTY_STRING]
}
