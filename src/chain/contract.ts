import { changing, type OwnerOf, question } from '#platform/contract.ts'
import type { Hash } from '#types/hash.ts'
import type { BuildingSettings } from './build/building-settings.ts'
import type { BadBlock } from './write/bad-blocks.ts'

export const WRITER = {
  /** Used by debug_setHead and debug_replayBlock; the sentence says why it was refused. */
  setHead: changing<[hash: Hash], SetHeadVerdict>('head'),
  /** The last blocks refused as invalid, oldest first. */
  badBlocks: question<[], readonly BadBlock[]>(),
}

export const BUILDING = {
  settings: question<[], BuildingSettings>(),
  /** Takes effect with the next block that this node begins. */
  change: changing<[changes: Partial<BuildingSettings>], void>('block making'),
}

export type LiveWriter = OwnerOf<typeof WRITER>

export type SetHeadVerdict = { readonly ok: true } | { readonly ok: false; readonly sentence: string }
