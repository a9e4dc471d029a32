import { array } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { jsonList } from '#rpc/present/json-list.ts'
import { transactionEntries } from '#rpc/present/trace-entries.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { LocatedTraceEntry } from '#rpc/schema/trace.ts'

export default defineMethod({
  name: 'trace_transaction',
  summary: 'The calls of a transaction, in order; an empty list where it is in no block.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash },
  result: array(LocatedTraceEntry),
  async *run(resources, { transaction }, { cancel }) {
    const texts = async function* () {
      for await (const entry of transactionEntries(resources, transaction, { cancel })) yield entry.text()
    }
    yield* jsonList(texts())
  },
})
