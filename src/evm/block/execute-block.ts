/** Executes a complete block on its parent's state. */

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
  /** Transactions with their senders, already validated on their own. */
  readonly transactions: readonly EngineTransaction[]
}

/**
 * Judges only the execution. The caller compares gas, roots, bloom and requests with the header, because it also
 * knows the state root.
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
