import { array, literal, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { replayedTraces } from '#api/present/trace-replay.ts'
import { blockOf } from '#api/resolve-block.ts'
import { ReplayedTrace, TraceTypes } from '#api/schema/trace.ts'
import { BlockNumber } from '#api/schema/values.ts'

export default defineMethod({
  name: 'trace_replayBlockTransactions',
  summary: 'Executes the transactions of a block again and returns the traces of each.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { block: BlockNumber.failingWith('INVALID_BLOCK_PARAMS'), types: TraceTypes },
  result: union([array(ReplayedTrace), literal(null)]),
  async *run(resources, { block: selector, types }, { cancel }) {
    const known = blockOf(resources.chain, selector)
    if (known === undefined) yield 'null'
    else if (known.block.transactions.length === 0) yield '[]'
    else yield* replayedTraces(resources, known, { types, cancel, from: 0, isList: true })
  },
})
