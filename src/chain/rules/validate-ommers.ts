/** Ommers: valid blocks beside the chain under proof of work, for which the block that names them is rewarded. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'

const MAX_OMMERS = 2
/** How many generations back the parent of an ommer may be. */
const MAX_GENERATIONS = 7

export interface Ancestor extends KnownHeader {
  readonly ommers: readonly Hash[]
}

export interface OmmerContext {
  readonly hashBlock: (header: BlockHeader) => Hash
  /** From the parent on upwards; as many as are asked for, or less at the beginning of the chain. */
  readonly ancestors: () => Iterable<Ancestor>
  /** What the header rules say about the ommer. */
  readonly refuse: (ommer: BlockHeader, parent: KnownHeader) => Promise<string | undefined>
}

/** What is wrong with the ommers, as a sentence; undefined if nothing is. */
export async function refuseOmmers(
  ommers: readonly BlockHeader[],
  context: OmmerContext,
): Promise<string | undefined> {
  if (ommers.length === 0) return undefined
  if (ommers.length > MAX_OMMERS) return `The block names ${ommers.length} ommers, more than ${MAX_OMMERS}.`
  const generations: Ancestor[] = []
  for (const ancestor of context.ancestors()) {
    generations.push(ancestor)
    if (generations.length === MAX_GENERATIONS) break
  }
  const named = new Set(generations.flatMap((ancestor) => [ancestor.hash, ...ancestor.ommers]))
  for (const ommer of ommers) {
    const hash = context.hashBlock(ommer)
    if (named.has(hash)) return `The ommer ${hash} is an ancestor, or was named before.`
    named.add(hash)
    const parent = generations.slice(1).find((ancestor) => ancestor.hash === ommer.parentHash)
    if (parent === undefined)
      return `The parent of the ommer ${hash} is none of the last ${MAX_GENERATIONS - 1} blocks.`
    const problem = await context.refuse(ommer, parent)
    if (problem !== undefined) return `The ommer ${hash} is invalid. ${problem}`
  }
  return undefined
}
