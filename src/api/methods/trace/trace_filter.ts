import { array, type output } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { ofOneChain, whileCanonical } from '#api/one-chain.ts'
import { jsonList } from '#api/present/json-list.ts'
import { callEntries, type EntryText, rewardEntries } from '#api/present/trace-entries.ts'
import { isStateUnavailable } from '#api/read-state.ts'
import { resolveBlock } from '#api/resolve-block.ts'
import type { EngineResources } from '#api/resources.ts'
import { LocatedTraceEntry, TraceFilter } from '#api/schema/trace.ts'
import { LATEST, type PlaceSelector } from '#api/schema/values.ts'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { type FlatCall, isCreation } from '#evm/trace/flat-calls.ts'
import { rpcFault } from '#jsonrpc/errors.ts'
import { whenFetched } from '#platform/data-pending.ts'
import type { Address } from '#types/address.ts'

type Filter = output<typeof TraceFilter.schema>

interface Range {
  readonly fromBlock: number
  readonly toBlock: number
}

export default defineMethod({
  name: 'trace_filter',
  summary: 'Calls in a block range, by caller and recipient.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { filter: TraceFilter },
  result: array(LocatedTraceEntry),
  async *run(resources, { filter }, { cancel }) {
    yield* ofOneChain(resources.chain, (chain) => {
      const pinned = { ...resources, chain }
      const range = rangeOf(pinned, filter)
      const last = chain.lookup.header(range.toBlock)?.hash
      return whileCanonical(chain, last, jsonList(page(matching(pinned, filter, range, cancel), filter)))
    })
  },
})

function rangeOf({ chain, limits }: EngineResources, { fromBlock, toBlock }: Filter): Range {
  const head = chain.head().header.number
  const from = numberOf(chain, fromBlock ?? LATEST)
  const to = numberOf(chain, toBlock ?? LATEST)
  if (from > to || to > head) throw rpcFault('INVALID_PARAMS')
  const range = { fromBlock: Number(from), toBlock: Number(to) }
  const limit = limits.maxTraceFilterRange
  if (limit > 0 && range.toBlock - range.fromBlock > limit) throw rpcFault('EXCEEDS_RPC_MAX_BLOCK_RANGE')
  return range
}

function numberOf(chain: ChainView, selector: PlaceSelector): bigint {
  return selector.kind === 'number' ? selector.number : resolveBlock(chain, selector)!.header.number
}

/** Texts are made only if they are sent. */
async function* page(entries: AsyncIterable<EntryText>, { after = 0, count }: Filter) {
  const end = count === undefined ? Number.POSITIVE_INFINITY : Math.max(0, after) + count
  let position = 0
  if (position >= end) return
  for await (const text of entries) {
    if (position >= after) yield text()
    position++
    if (position >= end) return
  }
}

async function* matching(
  resources: EngineResources,
  { fromAddress = [], toAddress = [] }: Filter,
  range: Range,
  cancel: Int32Array | undefined,
): AsyncGenerator<EntryText, void, undefined> {
  const { lookup } = resources.chain
  const isFiltered = fromAddress.length + toAddress.length > 0
  const matches = matcherOf(fromAddress, toAddress)
  for await (const { number, positions } of lookup.transactionsWithCalls(range, fromAddress, toAddress)) {
    const known = number === 0 ? undefined : await whenFetched(() => fetchBlock(lookup, number))
    if (known === undefined) continue
    try {
      // The index may refer to a former block of this number.
      const places = positions?.filter((position) => position < known.block.transactions.length)
      yield* callEntries(resources, known, { positions: places, matches, cancel })
    } catch (error) {
      if (isStateUnavailable(error)) continue
      throw error
    }
    if (isFiltered) continue
    for (const text of await rewardEntries(resources, known)) yield () => text
  }
}

/** Call trees are read as well, since results are sent while they are made and cannot start again. */
function fetchBlock(lookup: EngineResources['chain']['lookup'], number: number): KnownBlock | undefined {
  const known = lookup.block(number)
  if (known !== undefined) lookup.callTreesAt(known.hash, [])
  return known
}

/** An entry without a sender or receiver does not match a filter of it. */
function matcherOf(from: readonly Address[], to: readonly Address[]): (call: FlatCall) => boolean {
  const callers = new Set(from)
  const callees = new Set(to)
  return ({ frame }) => {
    if (callers.size > 0 && (frame.type === 'selfdestruct' || !callers.has(frame.from))) return false
    if (callees.size === 0) return true
    return frame.type !== 'selfdestruct' && !isCreation(frame) && callees.has(frame.to)
  }
}
