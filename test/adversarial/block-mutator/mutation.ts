/** One hostile value of one field. */
import type { Item, RawBlock } from './items.ts'
import type { Place } from './site.ts'

export interface Mutation {
  readonly field: string
  readonly value: string
  /** Undefined if the block of this site has no such field. */
  readonly change: (raw: RawBlock, site: Place) => RawBlock | undefined
  /** The position in the header that the attacker chose, which the repair leaves as it is. */
  readonly chosen?: number
  /** Only the commit seals change: a proposal has none, so it does not show the mutation. */
  readonly isOfSeals?: true
  /** The verdict, if the rules fix it. With `either`, the paths only have to agree. */
  readonly expected?: 'refused' | 'either'
}

export type Change = (item: Item, site: Place) => Item

/** Mutations that fit any item, regardless of its meaning. */
export const STRUCTURAL: Readonly<Record<string, (items: readonly Item[], at: number) => readonly Item[]>> = {
  missing: (items, at) => items.toSpliced(at, 1),
  duplicated: (items, at) => items.toSpliced(at, 0, items[at]!),
  'extra item after it': (items, at) => items.toSpliced(at + 1, 0, new Uint8Array(0)),
}
