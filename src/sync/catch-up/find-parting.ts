/**
 * Where the chain of a peer left ours: its headers, from our head downwards, up to the first that is ours too. They have to
 * follow each other, and no more of them are asked for than a limit says, so that a peer can make us look and not search.
 */
import type { ChainView } from '#chain/read/chain-view.ts'
import { ethFault } from '#sync/faults.ts'
import type { HashBlock } from '#types/block/block-hash.ts'
import { type ChainTip, readHeader } from './header-chain.ts'

/** Headers looked at, at most. */
const MAX_BACK = 2_048

export interface PartingParts {
  readonly chain: ChainView
  readonly hashBlock: HashBlock
  /** Headers of the peer from a number on, downwards. */
  readonly ask: (from: bigint) => Promise<readonly Uint8Array[]>
}

/**
 * The last block that both have; undefined: it lies further back than is looked, or the peer does not tell. Throws a fault where
 * the peer contradicts itself.
 */
export async function findParting(head: ChainTip, parts: PartingParts): Promise<number | undefined> {
  const { chain, hashBlock, ask } = parts
  let next = BigInt(head.number)
  let expected: string | undefined
  while (next >= 0n && BigInt(head.number) - next < MAX_BACK) {
    const answer = await ask(next)
    if (answer.length === 0) return undefined
    for (const bytes of answer) {
      const { hash, header } = readHeader(bytes, hashBlock)
      if (header.number !== next || (expected !== undefined && hash !== expected)) {
        throw ethFault(
          `The peer sent header ${header.number}, ${hash}, where ${next}, ${expected ?? 'whichever it has'}, was asked for.`,
        )
      }
      if (chain.lookup.isCanonical(hash)) {
        if (hash !== head.hash) return Number(header.number)
        throw ethFault(
          `The peer has block ${head.number} of our chain, and showed a header that follows another one.`,
        )
      }
      expected = header.parentHash
      next--
    }
  }
  return undefined
}
