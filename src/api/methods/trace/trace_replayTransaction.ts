import { literal, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { replayedTraces } from '#api/present/trace-replay.ts'
import { ReplayedTrace, TraceTypes } from '#api/schema/trace.ts'
import { TransactionHash } from '#api/schema/values.ts'

export default defineMethod({
  name: 'trace_replayTransaction',
  summary: 'Executes a transaction again and returns its traces; null if it is not in a block.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash, types: TraceTypes },
  result: union([ReplayedTrace, literal(null)]),
  async *run(resources, { transaction, types }, { cancel }) {
    const found = resources.chain.lookup.blockWith(transaction)
    if (found === undefined) yield 'null'
    else yield* replayedTraces(resources, found.known, { types, cancel, from: found.index, isList: false })
  },
})
