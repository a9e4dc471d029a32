import { literal, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { replayedTraces } from '#rpc/present/trace-replay.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { ReplayedTrace, TraceTypes } from '#rpc/schema/trace.ts'

export default defineMethod({
  name: 'trace_replayTransaction',
  summary: 'Executes a transaction of a block again and tells what it did; null where it is in no block.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash, types: TraceTypes },
  result: union([ReplayedTrace, literal(null)]),
  async *run(resources, { transaction, types }, { cancel }) {
    const found = resources.chain.lookup.transaction(transaction)
    const known = found && resources.chain.lookup.block(found.block.hash)
    if (known === undefined) yield 'null'
    else yield* replayedTraces(resources, known, { types, cancel, from: found!.index, isList: false })
  },
})
