import { traceResult } from '#api/present/trace-result.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { isStateUnavailable } from '#api/read-state.ts'
import type { EngineResources } from '#api/resources.ts'
import type { TraceType } from '#api/schema/trace.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { openReplay, type Replay } from '#chain/read/replay.ts'
import { assert } from '#types/assert.ts'

interface ReplayRequest {
  readonly types: readonly TraceType[]
  readonly cancel: Int32Array | undefined
  /** The index of the first transaction; with `isList` all later ones follow. */
  readonly from: number
  readonly isList: boolean
}

/** As in Besu, yields an empty list or null if the state before the block is not kept. */
export async function* replayedTraces(
  resources: EngineResources,
  known: KnownBlock,
  request: ReplayRequest,
): AsyncGenerator<string, void, undefined> {
  const { cancel, isList } = request
  const callTreeMaxBytes = resources.limits.maxRequestBytes
  let replay: Replay
  try {
    const options = { cancel, callTree: true, callTreeMaxBytes }
    replay = await openReplay(resources.chain, resources.engine, known, options)
  } catch (error) {
    if (!isStateUnavailable(error)) throw error
    yield isList ? '[]' : 'null'
    return
  }
  using _session = replay.session
  yield* inChunks(tell(replay, known, request, callTreeMaxBytes))
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
