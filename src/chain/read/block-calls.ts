/** The calls of stored blocks: as they were recorded at import, else by executing the block again. */

import type { StoredCallTree } from '#chain/block/stored-call-trees.ts'
import { decodeFrames } from '#evm/call-tree.ts'
import type { Engine, SessionOptions } from '#evm/engine.ts'
import { decodeOutcome, type Outcome } from '#evm/outcome.ts'
import { assert } from '#types/assert.ts'
import type { ChainView } from './chain-view.ts'
import type { KnownBlock } from './lookup.ts'
import { openReplay } from './replay.ts'

export interface CallsRequest {
  /** Places of the transactions that are asked for; undefined: all. */
  readonly positions?: readonly number[] | undefined
  /** Bytes of calls per transaction that executing again may record. */
  readonly maxBytes: number
  /** evm/engine.ts. */
  readonly cancel: Int32Array | undefined
}

/**
 * By place, of all that are asked for at least. What was recorded and cut short is executed again, within the limit of
 * the request. Throws STATE_UNAVAILABLE where that is needed and the state of the parent is not kept.
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

/** Of the first transactions of a block, executed again. Throws STATE_UNAVAILABLE like openReplay. */
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
