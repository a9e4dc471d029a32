import { array, literal, union } from 'zod'
import type { KnownBlock } from '#chain/read/lookup.ts'
import { defineMethod } from '#rpc/define-method.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { callEntries, rewardEntries, type TraceResources } from '#rpc/present/trace-entries.ts'
import { isStateUnavailable } from '#rpc/read-state.ts'
import { blockOf } from '#rpc/resolve-block.ts'
import { BlockNumber } from '#rpc/schema/block-selector.ts'
import { LocatedTraceEntry } from '#rpc/schema/trace.ts'

export default defineMethod({
  name: 'trace_block',
  summary: 'The calls of all transactions of a block, and its rewards.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS') },
  result: union([array(LocatedTraceEntry), literal(null)]),
  async *run(resources, { block: selector }, { cancel }) {
    const known = blockOf(resources.chain, selector)
    if (known === undefined) yield 'null'
    else yield* jsonList(entriesOf(resources, known, cancel))
  },
})

async function* entriesOf(resources: TraceResources, known: KnownBlock, cancel: Int32Array | undefined) {
  if (known.block.header.number === 0n) return
  try {
    for await (const entry of callEntries(resources, known, { cancel })) yield entry.text()
  } catch (error) {
    // As Besu: what is not there any more leaves an empty list.
    if (isStateUnavailable(error)) return
    throw error
  }
  yield* await rewardEntries(resources, known)
}
