/** Damaged segments that a reader has noted, and their repair while the node runs. */

import type { StoreReader } from '#store/reader.ts'
import { clearNote, notedDamage } from '#store/segments/damage-notes.ts'
import { hasOnlyIntactOutline } from '#store/segments/outline.ts'
import { REBUILT_SUFFIX, removeParts } from '#store/segments/segment-file.ts'
import { assert } from '#types/assert.ts'
import { blockHashOf } from '#types/block/block-hash.ts'
import type { Genesis } from '#types/genesis/genesis.ts'
import type { Keccak } from '#types/keccak.ts'
import type { BlockSource, RebuiltSegment } from './rebuild-segment.ts'
import type { BlockHashing } from './verify-segment.ts'

export function damagedHistoryOf(store: StoreReader, { config }: Genesis, keccak: Keccak): DamagedHistory {
  return new DamagedHistory(store, { keccak, hashBlock: blockHashOf(config.consensus, keccak) })
}

export class DamagedHistory {
  readonly #store: StoreReader
  readonly #hashing: BlockHashing

  constructor(store: StoreReader, hashing: BlockHashing) {
    this.#store = store
    this.#hashing = hashing
    const folder = store.kv.segmentFolder
    // A command may repair a segment after its rebuild was killed, so no other rebuild removes the remains.
    if (folder !== undefined) removeParts(folder, REBUILT_SUFFIX)
  }

  /** First blocks of segments that were found to be damaged, the newest first, which the others need. */
  damaged(): number[] {
    const mark = this.#store.past.mark()
    const folder = this.#store.kv.segmentFolder
    if (mark === undefined || folder === undefined) return []
    const noted = notedDamage(folder).filter((first) => first < mark.end && first % mark.segmentBlocks === 0)
    return noted.reverse()
  }

  /**
   * Returns undefined if the segment is intact, because another process replaced it, or if the work was stopped. Throws
   * SEGMENT_DAMAGED if the source lacks blocks.
   */
  async repair(
    first: number,
    source: BlockSource,
    isStopped: () => boolean,
  ): Promise<RebuiltSegment | undefined> {
    const { past, kv } = this.#store
    const [mark, folder] = [past.mark(), kv.segmentFolder]
    assert(mark !== undefined && folder !== undefined, 'A damaged segment has a folder.')
    if (await hasOnlyIntactOutline(folder, first)) {
      // The archive has the segment, whose local copy was deleted after the note.
      clearNote(folder, first)
      return undefined
    }
    // Loaded when it is needed: damage is rare, and its modules would delay every start.
    const { Rebuild } = await import('./rebuild-segment.ts')
    const rebuild = new Rebuild(this.#store, this.#hashing, source, {
      folder,
      first,
      count: mark.segmentBlocks,
    })
    try {
      if ((await rebuild.isIntact()) || !(await rebuild.run(isStopped))) return undefined
      return rebuild.result()
    } finally {
      rebuild.close()
      if (rebuild.isDone) clearNote(folder, first)
    }
  }
}
