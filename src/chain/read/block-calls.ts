/** Call trees of stored blocks, from the store or by replaying the block. */

import type { StoredCallTree } from '#chain/block/stored-call-trees.ts'
import { decodeFrames } from '#evm/call-tree.ts'
import type { Engine, SessionOptions } from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import { assert } from '#types/assert.ts'
import type { ChainView } from './chain-view.ts'
import type { KnownBlock } from './lookup.ts'
import { openReplay } from './replay.ts'

export interface CallsRequest {
  /** Positions of the requested transactions; all if undefined. */
  readonly positions?: readonly number[] | undefined
  /** Maximum bytes of calls per transaction that a replay records. */
  readonly maxBytes: number
  /** The cancel cell (evm/engine.ts). */
  readonly cancel: Int32Array | undefined
}

/**
 * Returns the call trees by position, at least those requested. Truncated trees are replayed within the limit of the
 * request. Throws STATE_UNAVAILABLE if a replay is needed and the parent's state is not kept.
 */
export async function callsOfBlock(
  chain: ChainView,
  engine: Engine,
  known: KnownBlock,
  request: CallsRequest,
): Promise<ReadonlyMap<number, StoredCallTree>> {
  const { hash, block } = known
  const positions = request.positions ?? block.transactions.map((_, position) => position)
  const stored = chain.lookup.callTreesAt(hash, positions)
  if (positions.every((position) => stored?.get(position)?.isCut === false)) return stored ?? new Map()
  const last = positions.reduce((most, position) => Math.max(most, position), 0)
  return callsByReplay(chain, engine, known, request, last)
}

async function callsByReplay(
  chain: ChainView,
  engine: Engine,
  known: KnownBlock,
  { maxBytes, cancel }: CallsRequest,
  last: number,
): Promise<ReadonlyMap<number, StoredCallTree>> {
  const options = { callTree: true, callTreeMaxBytes: maxBytes, cancel }
  const outcomes = await replayedOutcomes(chain, engine, known, options, last + 1)
  const trees = new Map<number, StoredCallTree>()
  for (const [position, { frames, areFramesCut }] of outcomes.entries()) {
    assert(frames !== undefined, 'An engine records what it is asked to.')
    trees.set(position, { frames: decodeFrames(frames), isCut: areFramesCut })
  }
  return trees
}

/** Replays the first transactions of a block. Throws STATE_UNAVAILABLE like openReplay. */
export async function replayedOutcomes(
  chain: ChainView,
  engine: Engine,
  known: KnownBlock,
  options: Partial<SessionOptions>,
  count: number = known.block.transactions.length,
): Promise<readonly Outcome[]> {
  const { session, transactions, state } = await openReplay(chain, engine, known, options)
  const { outcomes, refusal } = await session.session.run(transactions.slice(0, count))
  assert(refusal === undefined, 'A block that was imported can be executed again.')
  state.confirm()
  return outcomes.map(decodeOutcome)
}
