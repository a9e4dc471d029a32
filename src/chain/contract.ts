import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { Hash } from '#types/hash.ts'
import type { BuildingSettings } from './build/building-settings.ts'
import type { BadBlock } from './write/bad-blocks.ts'

/** The one writer of the chain. */
export const WRITER = {
  /** debug_setHead and debug_replayBlock; a sentence says why it was refused. */
  setHead: changing<[hash: Hash], SetHeadVerdict>('head'),
  /** The last blocks that were refused because they are invalid, oldest first. */
  badBlocks: question<[], readonly BadBlock[]>(),
}

/** The properties of this node's blocks. */
export const BUILDING = {
  settings: question<[], BuildingSettings>(),
  /** From the next block on that is begun. */
  change: changing<[changes: Partial<BuildingSettings>], void>('block making'),
}

export type LiveWriter = OwnerOf<typeof WRITER>

export type SetHeadVerdict = { readonly ok: true } | { readonly ok: false; readonly sentence: string }
