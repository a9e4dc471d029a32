/** Blocks as JSON text, cached: many clients ask for the same few, and a block never changes. */

import type { ChainView } from '#chain/read/chain-view.ts'
import type { SizedBlock } from '#chain/read/lookup.ts'
import { ByteCache } from '#platform/byte-cache.ts'
import type { Hash } from '#types/hash.ts'
import { presentBlock } from './block.ts'

const MAX_BYTES = 32 * 1024 * 1024

interface Texts {
  readonly full: ByteCache<Hash, string>
  readonly short: ByteCache<Hash, string>
}

const textsByChain = new WeakMap<ChainView['lookup'], Texts>()

/** As a streamed result of one chunk. */
export async function* blockText(
  chain: ChainView,
  known: SizedBlock,
  isFull: boolean,
): AsyncGenerator<string, void, undefined> {
  yield keptBlockText(chain, known, isFull)
}

/** `isFull`: with complete transactions rather than hashes. */
export function keptBlockText(chain: ChainView, known: SizedBlock, isFull: boolean): string {
  const texts = textsOf(chain)[isFull ? 'full' : 'short']
  const kept = texts.get(known.hash)
  if (kept !== undefined) return kept
  const text = JSON.stringify(presentBlock(chain, known, isFull))
  texts.set(known.hash, text, text.length)
  return text
}

function textsOf({ lookup }: ChainView): Texts {
  const known = textsByChain.get(lookup)
  if (known !== undefined) return known
  const texts: Texts = { full: new ByteCache(MAX_BYTES), short: new ByteCache(MAX_BYTES / 4) }
  textsByChain.set(lookup, texts)
  return texts
}
