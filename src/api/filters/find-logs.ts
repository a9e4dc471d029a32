/** Logs as JSON text, from one chain from the first to the last even during a reorg. */

import { ofOneChain, whileCanonical } from '#api/one-chain.ts'
import type { LimitValues } from '#api/options.ts'
import { jsonList } from '#api/present/json-list.ts'
import { keptLogText } from '#api/present/log-text.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import type { BlockLogQuery, LogQuery } from '#api/schema/log-filter.ts'
import type { PlaceSelector } from '#api/schema/values.ts'
import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { FoundLog, SearchedRange } from '#chain/read/logs.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { formatQuantity } from '#types/hex.ts'

export type LogLimits = Pick<LimitValues, 'maxLogsRange' | 'maxLogsBlocks'>

export function findLogs(
  chain: ChainView,
  query: LogQuery | BlockLogQuery,
  limits: LogLimits,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  return ofOneChain(chain, (view) =>
    query.kind === 'block' ? logsOfBlock(view, query) : logsOfRange(view, query, limits, signal),
  )
}

function logsOfBlock(chain: ChainView, query: BlockLogQuery): AsyncGenerator<string, void, undefined> {
  if (chain.lookup.header(query.blockHash) === undefined) throw rpcFault('BLOCK_NOT_FOUND')
  return jsonList(Iterator.from(chain.lookup.logsOf(query.blockHash, query)).map(keptLogText))
}

function logsOfRange(
  chain: ChainView,
  query: LogQuery,
  { maxLogsRange, maxLogsBlocks }: LogLimits,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const from = rangeEnd(chain, query.fromBlock)
  const to = rangeEnd(chain, query.toBlock)
  if (from === undefined || to === undefined || from.header.number > to.header.number) {
    throw rpcFault('INVALID_PARAMS')
  }
  const range = { fromBlock: Number(from.header.number), toBlock: Number(to.header.number) }
  if (maxLogsRange > 0 && range.toBlock - range.fromBlock > maxLogsRange) {
    throw rpcFault('EXCEEDS_RPC_MAX_BLOCK_RANGE')
  }
  const found = async function* () {
    if (maxLogsBlocks > 0) await requireFew(chain, range, query, maxLogsBlocks, signal)
    yield* chain.lookup.logs(range, query, signal)
  }
  return whileCanonical(chain, to.hash, jsonList(textsOf(found())))
}

/** The index tells the cost of a query before it reads the first block. */
async function requireFew(
  { lookup }: ChainView,
  range: SearchedRange,
  query: LogQuery,
  maxBlocks: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  let blocks = 0
  for await (const number of lookup.blocksWithLogs(range, query, signal)) {
    if (blocks++ < maxBlocks) continue
    const [fromBlock, toBlock] = [range.fromBlock, number - 1].map((each) => formatQuantity(BigInt(each)))
    throw rpcFault('EXCEEDS_RPC_MAX_LOGS_BLOCKS', { data: { fromBlock, toBlock, blocks: maxBlocks } })
  }
}

/** A tag that was never set cannot end a range. */
function rangeEnd(chain: ChainView, selector: PlaceSelector): KnownHeader | undefined {
  if (selector.kind === 'tag' && (selector.tag === 'safe' || selector.tag === 'finalized')) {
    const marked = selector.tag === 'safe' ? chain.safe() : chain.finalized()
    if (marked === undefined) throw rpcFault('INVALID_BLOCK_NUMBER_PARAMS')
    return marked
  }
  return resolveBlock(chain, selector)
}

/** Several items per chunk, with the commas between them. */
async function* textsOf(found: AsyncIterable<readonly FoundLog[]>): AsyncGenerator<string, void, undefined> {
  for await (const logs of found) yield logs.map(keptLogText).join(',')
}
