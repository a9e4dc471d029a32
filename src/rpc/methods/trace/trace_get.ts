import { literal, union } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { transactionEntries } from '#rpc/present/trace-entries.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { LocatedTraceEntry, TracePositions } from '#rpc/schema/trace.ts'

export default defineMethod({
  name: 'trace_get',
  summary: 'One call of a transaction, by its trace address; null where there is none.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash, positions: TracePositions },
  count: 'exact',
  result: union([LocatedTraceEntry, literal(null)]),
  async *run(resources, { transaction, positions }, { cancel }) {
    const wanted = positions.join()
    const matches = ({ traceAddress }: { readonly traceAddress: readonly number[] }) =>
      traceAddress.join() === wanted
    for await (const entry of transactionEntries(resources, transaction, { matches, cancel })) {
      yield entry.text()
      return
    }
    yield 'null'
  },
})
