import { array, literal, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { jsonList } from '#api/present/json-list.ts'
import { callEntries, rewardEntries } from '#api/present/trace-entries.ts'
import { isStateUnavailable } from '#api/read-state.ts'
import { blockOf } from '#api/resolve-block.ts'
import type { EngineResources } from '#api/resources.ts'
import { LocatedTraceEntry } from '#api/schema/trace.ts'
import { BlockNumber } from '#api/schema/values.ts'
import type { KnownBlock } from '#chain/read/lookup.ts'

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

async function* entriesOf(resources: EngineResources, known: KnownBlock, cancel: Int32Array | undefined) {
  if (known.block.header.number === 0n) return
  try {
    for await (const text of callEntries(resources, known, { cancel })) yield text()
  } catch (error) {
    // As in Besu, missing data gives an empty list.
    if (isStateUnavailable(error)) return
    throw error
  }
  yield* await rewardEntries(resources, known)
}
