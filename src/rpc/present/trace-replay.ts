/** Transactions of a stored block, executed again and told with any of trace, vmTrace and stateDiff. */
import type { KnownBlock } from '#chain/read/lookup.ts'
import { openReplay, type Replay } from '#chain/read/replay.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import type { TraceType } from '#rpc/schema/trace.ts'
import { assert } from '#types/assert.ts'
import type { TraceResources } from './trace-entries.ts'
import { traceResult } from './trace-result.ts'
import { inChunks } from './traced-text.ts'

export interface ReplayRequest {
  readonly types: readonly TraceType[]
  readonly cancel: Int32Array | undefined
  /** The place of the first transaction that is told; with `isList` all behind it too. */
  readonly from: number
  readonly isList: boolean
}

/** An empty list, or null, where the state that the block was executed on is not kept, as Besu answers. */
export async function* replayedTraces(
  resources: TraceResources,
  known: KnownBlock,
  request: ReplayRequest,
): AsyncGenerator<string, void, undefined> {
  const { cancel, isList } = request
  const callTreeMaxBytes = resources.limits.maxRequestBytes
  let replay: Replay
  try {
    replay = await openReplay(resources.chain, resources.engine, known, {
      cancel,
      callTree: true,
      callTreeMaxBytes,
    })
  } catch (error) {
    if (!isStateUnavailable(error)) throw error
    yield isList ? '[]' : 'null'
    return
  }
  using _session = replay.session
  yield* inChunks(tell(replay, known, request, resources.limits.maxRequestBytes))
}

async function* tell(
  { session: block, transactions, state }: Replay,
  known: KnownBlock,
  { types, from, isList, cancel }: ReplayRequest,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const { session, rules } = block
  if (isList) yield '['
  if (from > 0) await session.run(transactions.slice(0, from))
  for (const [offset, transaction] of transactions.slice(from, isList ? undefined : from + 1).entries()) {
    if (offset > 0) yield ','
    const transactionHash = known.block.transactions[from + offset]!.hash
    const refusal = yield* traceResult(
      { session, rules, transaction, types, maxBytes, cancel },
      { transactionHash },
    )
    assert(refusal === undefined, 'A block that was imported can be executed again.')
  }
  state.confirm()
  if (isList) yield ']'
}
