/** Logs as JSON text, of one chain from the first to the last even while it is reorganised. */
import type { ChainView } from '#chain/chain-view.ts'
import type { FoundLog } from '#chain/logs.ts'
import type { KnownHeader } from '#chain/stages.ts'
import { rpcFault } from './errors.ts'
import type { BlockLogQuery, LogQuery } from './filter.ts'
import { jsonList } from './present/json-list.ts'
import { keptLogText } from './present/log-text.ts'
import { resolveBlock } from './resolve-block.ts'
import type { PlaceSelector } from './schema/block-selector.ts'

/** A chain that is reorganised faster than this has no answer. */
const ATTEMPTS = 5

/** `maxRange`: blocks between first and last; 0: no limit. */
export async function* findLogs(
  chain: ChainView,
  query: LogQuery | BlockLogQuery,
  maxRange: number,
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    let isBegun = false
    try {
      // The announced head may have left the chain before that is announced: then the stored one is the head.
      const view = attempt === 1 ? chain : { ...chain, head: chain.storedHead }
      for await (const chunk of query.kind === 'block'
        ? logsOfBlock(view, query)
        : logsOfRange(view, query, maxRange, signal)) {
        yield chunk
        isBegun = true
      }
      return
    } catch (error) {
      if (!(error instanceof ChainMoved)) throw error
      // What was sent cannot be taken back: the answer breaks off.
      if (isBegun || attempt === ATTEMPTS) throw rpcFault('INTERNAL_ERROR', { reason: error.message })
      chain.catchUp()
    }
  }
}

/** Thrown between a read and its answer when the chain is another one by now. */
class ChainMoved extends Error {
  constructor() {
    super('the chain was reorganised meanwhile; ask again')
  }
}

function logsOfBlock(chain: ChainView, query: BlockLogQuery): AsyncGenerator<string, void, undefined> {
  if (chain.lookup.header(query.blockHash) === undefined) throw rpcFault('BLOCK_NOT_FOUND')
  return jsonList(Iterator.from(chain.lookup.logsOf(query.blockHash, query)).map(keptLogText))
}

async function* logsOfRange(
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
  for await (const chunk of jsonList(textsOf(chain.lookup.logs(range, query, signal)))) {
    // As long as the last block is canonical, so is every block below it, and so was all that was read.
    if (!chain.lookup.isCanonical(to.hash)) throw new ChainMoved()
    yield chunk
  }
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
