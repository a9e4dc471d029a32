/**
 * Networks that began with proof of work: Cairn does not know their rewards and ommers, so it executes no block before the
 * merge, and the chain begins with the imported state of a later block.
 */
import { usageFault } from '#config/faults.ts'
import type { Store } from '#store/writer.ts'
import { type BlockHeader, decodeHeader } from '#types/block/block-header.ts'
import type { Fault } from '#types/fault.ts'

export function isMerged({ difficulty }: Pick<BlockHeader, 'difficulty'>): boolean {
  return difficulty === 0n
}

/** Throws if the head is a block before the merge. Closes the store then. */
export async function requireMergedHead(store: Store): Promise<void> {
  const head = store.head()
  const encoded = head && store.read('header', head.number, head.hash)
  if (encoded !== undefined && isMerged(decodeHeader(encoded))) return
  await store.close()
  throw stateMissing()
}

export function stateMissing(): Fault {
  return usageFault(
    'The first blocks of this network are proof of work, which Cairn does not execute: a node starts from the state of a block after the merge, and this --data-path has none. Run `cairn state import --from=FILE --trusted-block-hash=HASH` with the same options and an empty --data-path first (docs/operate/public-networks.md).',
  )
}
