/** Ommers: valid proof-of-work siblings that earn the including block a reward. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import type { Hash } from '#types/hash.ts'

const MAX_OMMERS = 2
/** Maximum distance, in generations, to the parent of an ommer. */
const MAX_GENERATIONS = 7

export interface Ancestor extends KnownHeader {
  readonly ommers: readonly Hash[]
}

export interface OmmerContext {
  readonly hashBlock: (header: BlockHeader) => Hash
  /** Yields ancestors from the parent upwards. */
  readonly ancestors: () => Iterable<Ancestor>
  /** Applies the header rules to the ommer. */
  readonly refuse: (ommer: BlockHeader, parent: KnownHeader) => Promise<string | undefined>
}

/** Returns the problem as a sentence, or undefined if the ommers are valid. */
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
      return `The parent of the ommer ${hash} is not among the last ${MAX_GENERATIONS - 1} blocks.`
    const problem = await context.refuse(ommer, parent)
    if (problem !== undefined) return `The ommer ${hash} is invalid. ${problem}`
  }
  return undefined
}
