import { array } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { jsonList } from '#api/present/json-list.ts'
import { transactionEntries } from '#api/present/trace-entries.ts'
import { LocatedTraceEntry } from '#api/schema/trace.ts'
import { TransactionHash } from '#api/schema/values.ts'

export default defineMethod({
  name: 'trace_transaction',
  summary: 'The calls of a transaction in order; an empty list if it is not in a block.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash },
  result: array(LocatedTraceEntry),
  async *run(resources, { transaction }, { cancel }) {
    const texts = async function* () {
      for await (const text of transactionEntries(resources, transaction, { cancel })) yield text()
    }
    yield* jsonList(texts())
  },
})
