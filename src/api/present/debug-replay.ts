import { debugTrace } from '#api/present/debug-trace.ts'
import { inChunks } from '#api/present/traced-text.ts'
import { isStateUnavailable } from '#api/read-state.ts'
import type { EngineResources } from '#api/resources.ts'
import type { TraceOptions } from '#api/schema/trace-options.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { openReplay, type Replay } from '#chain/read/replay.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

/** As in Besu, yields an empty list if the state before the block is not kept. */
export async function* debugBlock(
  resources: EngineResources,
  known: KnownBlock,
  request: Omit<DebugReplayRequest, 'position'>,
): AsyncGenerator<string, void, undefined> {
  if (known.block.header.number === 0n) throw rpcFault('GENESIS_BLOCK_NOT_TRACEABLE')
  let isBegun = false
  try {
    for await (const chunk of debugReplay(resources, known, request)) {
      isBegun = true
      yield chunk
    }
  } catch (error) {
    if (isBegun || !isStateUnavailable(error)) throw error
    yield '[]'
  }
}

interface DebugReplayRequest {
  readonly options: TraceOptions
  readonly cancel: Int32Array | undefined
  /** The index of the requested transaction; undefined for all, as a list. */
  readonly position?: number | undefined
}

/** Throws STATE_UNAVAILABLE if the state of the parent is not kept. */
export async function* debugReplay(
  { chain, engine, limits }: EngineResources,
  known: KnownBlock,
  { options, cancel, position }: DebugReplayRequest,
): AsyncGenerator<string, void, undefined> {
  const maxBytes = limits.maxRequestBytes
  const session = { cancel, callTree: true, callTreeMaxBytes: maxBytes }
  const replay = await openReplay(chain, engine, known, session)
  using _session = replay.session
  yield* inChunks(tell(replay, known, { options, cancel, position }, maxBytes))
}

async function* tell(
  { transactions, session: block, state }: Replay,
  { hash: blockHash, block: { header, transactions: signed } }: KnownBlock,
  { options, cancel, position }: DebugReplayRequest,
  maxBytes: number,
): AsyncGenerator<string, void, undefined> {
  const { session, rules } = block
  const isListed = position === undefined
  const blockNumber = Number(header.number)
  if (isListed) yield '['
  else if (position > 0) await session.run(transactions.slice(0, position))
  for (const at of isListed ? transactions.keys() : [position]) {
    const transaction = transactions[at]!
    const transactionHash = signed[at]!.hash
    const place = { blockHash, blockNumber, transactionHash, transactionPosition: at }
    if (isListed) yield `${at === 0 ? '' : ','}{"txHash":"${transactionHash}","result":`
    const run = { session, rules, transaction, maxBytes, cancel }
    const refusal = yield* debugTrace({ ...run, options, place, isListed })
    if (refusal !== undefined)
      throw rpcFault('INVALID_TRANSACTION_PARAMS', { reason: `${transactionHash}: ${refusal.sentence}` })
    if (isListed) yield '}'
  }
  state.confirm()
  if (isListed) yield ']'
}
