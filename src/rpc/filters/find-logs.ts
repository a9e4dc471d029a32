/** Logs as JSON text, of one chain from the first to the last even while it is reorganised. */

import type { KnownHeader } from '#chain/block/stages.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { FoundLog } from '#chain/read/logs.ts'
import { rpcFault } from '#rpc/errors.ts'
import { ofOneChain, whileCanonical } from '#rpc/one-chain.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { keptLogText } from '#rpc/present/log-text.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import type { PlaceSelector } from '#rpc/schema/block-selector.ts'
import type { BlockLogQuery, LogQuery } from './filter.ts'

/** `maxRange`: blocks between first and last; 0: no limit. */
export function findLogs(
  chain: ChainView,
  query: LogQuery | BlockLogQuery,
  maxRange: number,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  return ofOneChain(chain, (view) =>
    query.kind === 'block' ? logsOfBlock(view, query) : logsOfRange(view, query, maxRange, signal),
  )
}

function logsOfBlock(chain: ChainView, query: BlockLogQuery): AsyncGenerator<string, void, undefined> {
  if (chain.lookup.header(query.blockHash) === undefined) throw rpcFault('BLOCK_NOT_FOUND')
  return jsonList(Iterator.from(chain.lookup.logsOf(query.blockHash, query)).map(keptLogText))
}

function logsOfRange(
  chain: ChainView,
  query: LogQuery,
  maxRange: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const from = rangeEnd(chain, query.fromBlock)
  const to = rangeEnd(chain, query.toBlock)
  if (from === undefined || to === undefined || from.header.number > to.header.number) {
    throw rpcFault('INVALID_PARAMS')
  }
  const range = { fromBlock: Number(from.header.number), toBlock: Number(to.header.number) }
  if (maxRange > 0 && range.toBlock - range.fromBlock > maxRange) {
    throw rpcFault('EXCEEDS_RPC_MAX_BLOCK_RANGE')
  }
  return whileCanonical(chain, to.hash, jsonList(textsOf(chain.lookup.logs(range, query, signal))))
}

/** Tags that were never set are no block that a range can end at. */
function rangeEnd(chain: ChainView, selector: PlaceSelector): KnownHeader | undefined {
  if (selector.kind === 'tag' && (selector.tag === 'safe' || selector.tag === 'finalized')) {
    const marked = selector.tag === 'safe' ? chain.safe() : chain.finalized()
    if (marked === undefined) throw rpcFault('INVALID_BLOCK_NUMBER_PARAMS')
    return marked
  }
  return resolveBlock(chain, selector)
}

/** Several items each, with the commas between them. */
async function* textsOf(found: AsyncIterable<readonly FoundLog[]>): AsyncGenerator<string, void, undefined> {
  for await (const logs of found) yield logs.map(keptLogText).join(',')
}
