import type { BlockSelector, BlockTag } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { SizedBlock } from '#chain/read/lookup.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

/** Undefined if there is no such block. `pending` resolves to the head, since pending transactions have no state. */
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

/** Blocks above the announced head may be stored already, but are not visible. */
function blockOfNumber(chain: ChainView, number: bigint): KnownHeader | undefined {
  const head = chain.head()
  if (number === head.header.number) return head
  return number > head.header.number ? undefined : chain.lookup.header(Number(number))
}

function marked(block: KnownHeader | undefined): KnownHeader {
  if (block === undefined) throw rpcFault('UNKNOWN_BLOCK')
  return block
}
