import { literal, union } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { transactionEntries } from '#api/present/trace-entries.ts'
import { LocatedTraceEntry, TracePositions } from '#api/schema/trace.ts'
import { TransactionHash } from '#api/schema/values.ts'

export default defineMethod({
  name: 'trace_get',
  summary: 'One call of a transaction by its trace address; null if there is none.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash, positions: TracePositions },
  count: 'exact',
  result: union([LocatedTraceEntry, literal(null)]),
  async *run(resources, { transaction, positions }, { cancel }) {
    const wanted = positions.join()
    const matches = ({ traceAddress }: { readonly traceAddress: readonly number[] }) =>
      traceAddress.join() === wanted
    for await (const text of transactionEntries(resources, transaction, { matches, cancel })) {
      yield text()
      return
    }
    yield 'null'
  },
})
