/**
 * Rebuilds missing call trees and their index from the highest block down. Each batch is indexed at once, so a
 * stopped rebuild continues where it ended.
 */

import { encodeStoredCallTrees, storedFrames, tracedParties } from '#chain/block/stored-call-trees.ts'
import { replayedOutcomes } from '#chain/read/block-calls.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import type { Engine } from '#evm/engine.ts'
import type { TracedBlock } from '#store/store.ts'
import type { Store } from '#store/writer.ts'
import { assert } from '#types/assert.ts'
import { Fault } from '#types/fault.ts'
import { hashToBytes } from '#types/hash.ts'

export interface RebuildParts {
  readonly store: Pick<Store, 'tracedFrom' | 'addTraces' | 'read' | 'head' | 'firstBlock' | 'past'>
  readonly chain: ChainView
  readonly engine: Engine
  /** Called after every batch with the lowest indexed block. */
  readonly onProgress: (from: number) => void
  /** Checked between blocks. */
  readonly isStopped: () => boolean
}

export interface RebuildResult {
  readonly rebuilt: number
  /** The lowest indexed block. */
  readonly from: number
  readonly end: 'complete' | 'stopped' | 'state-missing'
}

/** Limits of one batch in memory. */
const BATCH_BLOCKS = 256
const BATCH_BYTES = 16 * 1024 * 1024

export async function rebuildTraces(parts: RebuildParts): Promise<RebuildResult> {
  const { store, onProgress, isStopped } = parts
  const head = store.head()?.number ?? 0
  const start = Math.min(store.tracedFrom(), head + 1)
  let batch: TracedBlock[] = []
  let bytes = 0
  let end: RebuildResult['end'] = 'complete'
  const write = async (): Promise<void> => {
    if (batch.length === 0) return
    await store.addTraces(batch)
    onProgress(batch.at(-1)!.number)
    batch = []
    bytes = 0
  }
  let number = start - 1
  for (; number >= 0; number--) {
    const traced = isStopped() ? 'stopped' : await traceBlock(parts, number)
    if (typeof traced === 'string') {
      end = traced
      break
    }
    batch.push(traced)
    bytes += traced.callTrees.length
    if (batch.length >= BATCH_BLOCKS || bytes >= BATCH_BYTES) await write()
  }
  await write()
  return { rebuilt: start - 1 - number, from: number + 1, end }
}

async function traceBlock(
  { store, chain, engine }: RebuildParts,
  number: number,
): Promise<TracedBlock | 'state-missing'> {
  if (number > 0 && number < store.firstBlock()) return 'state-missing'
  if (store.past.isOutline(number)) return 'state-missing'
  const known = chain.lookup.block(number)
  assert(known !== undefined, `Block ${number} is below the head and stored.`)
  const hash = hashToBytes(known.hash)
  const stored = store.read('callTrees', number, hash)
  const calls = stored === undefined ? await executeAgain(chain, engine, known) : storedFrames(stored)
  if (calls === undefined) return 'state-missing'
  const callTrees = stored ?? encodeStoredCallTrees(calls)
  const parties = tracedParties(calls)
  assert(callTrees !== undefined && parties !== undefined, 'An engine records what it is asked to.')
  return { number, hash, callTrees, parties }
}

async function executeAgain(chain: ChainView, engine: Engine, known: KnownBlock) {
  if (known.block.transactions.length === 0) return []
  try {
    return await replayedOutcomes(chain, engine, known, { callTree: true })
  } catch (error) {
    if (error instanceof Fault && error.kind === 'STATE_UNAVAILABLE') return undefined
    throw error
  }
}
