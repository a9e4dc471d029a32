/** Which block a call is simulated in. */
import { type CallSite, openCallSite, openNextCallSite } from '#chain/read/call-site.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import { rpcFault } from '#rpc/errors.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import type { BlockSelector, PlaceSelector } from '#rpc/schema/block-selector.ts'

/** undefined: there is no such block. */
export async function siteOf(chain: ChainView, selector: BlockSelector): Promise<CallSite | undefined> {
  const known = resolveBlock(chain, selector)
  return known && openCallSite(chain, known)
}

/** For estimates, where `pending` is the block after the head. */
export async function estimateSiteOf(chain: ChainView, selector: PlaceSelector): Promise<CallSite> {
  if (selector.kind === 'tag' && selector.tag === 'pending') return openNextCallSite(chain, chain.head())
  const site = await siteOf(chain, selector)
  if (site === undefined) throw rpcFault('BLOCK_NOT_FOUND')
  return site
}
