/** Transactions of a block, executed again and traced as a DEBUG method asks for it. */
import type { KnownBlock } from '#chain/read/lookup.ts'
import { openReplay, type Replay } from '#chain/read/replay.ts'
import { rpcFault } from '#rpc/errors.ts'
import type { TraceOptions } from '#rpc/schema/trace-options.ts'
import { debugTrace } from './debug-trace.ts'
import type { TraceResources } from './trace-entries.ts'
import { inChunks } from './traced-text.ts'

export interface DebugReplayRequest {
  readonly options: TraceOptions
  readonly cancel: Int32Array | undefined
  /** The place of the one transaction that is asked for; undefined: all, as a list. */
  readonly position?: number | undefined
}

/** Throws STATE_UNAVAILABLE where the state of the parent is not kept. */
export async function* debugReplay(
  { chain, engine, limits }: TraceResources,
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
