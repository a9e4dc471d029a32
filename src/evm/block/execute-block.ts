/** A whole block at once: from its parent's state to what it changed, or why it cannot be. */

import type { EngineTransaction } from '#evm/engine.ts'
import type { BlockHeader } from '#types/block/block-header.ts'
import {
  type BlockContext,
  type BlockEnd,
  type BlockExecutionVerdict,
  BlockSession,
} from './block-session.ts'

export interface ExecutableBlock extends BlockEnd {
  readonly header: BlockHeader
  /** With their senders; their own rules were checked. */
  readonly transactions: readonly EngineTransaction[]
}

/**
 * Judges only what execution decides. That the header states what came out (gas, roots, bloom, requests) is for the
 * caller to compare, who has the state root too.
 */
export async function executeBlock(
  context: BlockContext,
  block: ExecutableBlock,
): Promise<BlockExecutionVerdict> {
  using session = await BlockSession.open(context, block.header)
  const refused = await session.run(block.transactions)
  if (refused !== undefined) {
    const sentence = `Transaction ${refused.index} cannot be executed. ${refused.sentence}`
    return { ok: false, reason: 'TRANSACTION_REFUSED', sentence }
  }
  return await session.finish(block)
}
