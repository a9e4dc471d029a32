/** From what a request names to the one block that its whole answer is about. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { SizedBlock } from '#chain/read/lookup.ts'
import { rpcFault } from './errors.ts'
import type { BlockSelector, BlockTag } from './schema/block-selector.ts'

/** undefined: there is no such block. `pending` is the head: what is not in a block yet has no state of its own. */
export function resolveBlock(chain: ChainView, selector: BlockSelector): KnownHeader | undefined {
  switch (selector.kind) {
    case 'tag':
      return blockOfTag(chain, selector.tag)
    case 'number':
      return blockOfNumber(chain, selector.number)
    case 'hash': {
      const block = chain.lookup.header(selector.hash)
      if (block !== undefined && selector.requireCanonical && !chain.lookup.isCanonical(block.hash)) {
        throw rpcFault('JSON_RPC_NOT_CANONICAL_ERROR')
      }
      return block
    }
  }
}

/** The same with its body. */
export function blockOf(chain: ChainView, selector: BlockSelector): SizedBlock | undefined {
  const found = resolveBlock(chain, selector)
  return found && chain.lookup.block(found.hash)
}

function blockOfTag(chain: ChainView, tag: BlockTag): KnownHeader | undefined {
  switch (tag) {
    case 'latest':
    case 'pending':
      return chain.head()
    case 'earliest':
      return chain.lookup.header(0)
    case 'safe':
      return marked(chain.safe())
    case 'finalized':
      return marked(chain.finalized())
  }
}

/** Blocks above the announced head are not told of, though they may be stored already. */
function blockOfNumber(chain: ChainView, number: bigint): KnownHeader | undefined {
  const head = chain.head()
  if (number === head.header.number) return head
  return number > head.header.number ? undefined : chain.lookup.header(Number(number))
}

function marked(block: KnownHeader | undefined): KnownHeader {
  if (block === undefined) throw rpcFault('UNKNOWN_BLOCK')
  return block
}
