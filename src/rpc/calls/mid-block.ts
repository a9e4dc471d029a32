/** The state inside a block: after one of its transactions. */

import { openSource } from '#chain/read/call-site.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { openReplay } from '#chain/read/replay.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { OverlayState } from '#evm/simulate/overlay-state.ts'
import type { RunContext } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { Resources } from '#rpc/resources.ts'
import { assert } from '#types/assert.ts'

/** `index` -1: before the first. Throws STATE_UNAVAILABLE where the state of the parent is not kept. */
export async function stateAfterTransaction(
  { chain, engine }: Pick<Resources, 'chain' | 'engine'>,
  known: KnownBlock,
  index: number,
  { cancel }: Pick<RunContext, 'cancel'>,
): Promise<OverlayState> {
  const parent = chain.lookup.header(known.block.header.parentHash)
  if (parent === undefined) throw rpcFault('PARENT_BLOCK_NOT_FOUND')
  const { keccak } = await loadCrypto()
  const overlay = new OverlayState(openSource(chain, parent).state, keccak)
  if (index < 0) return overlay
  const { session, transactions, state } = await openReplay(chain, engine, known, { callTree: false, cancel })
  const { refusal } = await session.session.run(transactions.slice(0, index + 1))
  assert(refusal === undefined, 'A block that was imported can be executed again.')
  overlay.apply(session.session.finish())
  state.confirm()
  return overlay
}
