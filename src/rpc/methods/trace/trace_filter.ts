import { array, type output } from 'zod'
import type { ChainView } from '#chain/read/chain-view.ts'
import type { FlatCall } from '#evm/trace/flat-calls.ts'
import { isCreation } from '#evm/trace/flat-calls.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { ofOneChain, whileCanonical } from '#rpc/one-chain.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { callEntries, rewardEntries, type TraceResources } from '#rpc/present/trace-entries.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import { resolveBlock } from '#rpc/resolve-block.ts'
import { LATEST, type PlaceSelector } from '#rpc/schema/block-selector.ts'
import { LocatedTraceEntry, TraceFilter } from '#rpc/schema/trace.ts'
import type { Address } from '#types/address.ts'

type Filter = output<typeof TraceFilter.schema>

interface Range {
  readonly fromBlock: number
  readonly toBlock: number
}

export default defineMethod({
  name: 'trace_filter',
  summary: 'Calls in a range of blocks, by caller and recipient.',
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

function rangeOf({ chain, limits }: TraceResources, { fromBlock, toBlock }: Filter): Range {
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

/** Of texts that are made only if they are sent. */
async function* page(entries: AsyncIterable<() => string>, { after = 0, count }: Filter) {
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
  resources: TraceResources,
  { fromAddress = [], toAddress = [] }: Filter,
  range: Range,
  cancel: Int32Array | undefined,
): AsyncGenerator<() => string, void, undefined> {
  const { lookup } = resources.chain
  const isFiltered = fromAddress.length + toAddress.length > 0
  const matches = matcherOf(fromAddress, toAddress)
  for await (const { number, positions } of lookup.transactionsWithCalls(range, fromAddress, toAddress)) {
    const known = number === 0 ? undefined : lookup.block(number)
    if (known === undefined) continue
    try {
      // The index may speak of another block that had this number before.
      const places = positions?.filter((position) => position < known.block.transactions.length)
      for await (const entry of callEntries(resources, known, { positions: places, matches, cancel }))
        yield entry.text
    } catch (error) {
      if (isStateUnavailable(error)) continue
      throw error
    }
    if (isFiltered) continue
    for (const text of await rewardEntries(resources, known)) yield () => text
  }
}

/** What has no sender or no receiver in its entry does not match a filter of it. */
function matcherOf(from: readonly Address[], to: readonly Address[]): (call: FlatCall) => boolean {
  const callers = new Set(from)
  const callees = new Set(to)
  return ({ frame }) => {
    if (callers.size > 0 && (frame.type === 'selfdestruct' || !callers.has(frame.from))) return false
    if (callees.size === 0) return true
    return frame.type !== 'selfdestruct' && !isCreation(frame) && callees.has(frame.to)
  }
}
