import { unknown } from 'zod'
import { defineMethod } from '#api/define-method.ts'
import { debugReplay } from '#api/present/debug-replay.ts'
import { TraceOptions } from '#api/schema/trace-options.ts'
import { TransactionHash } from '#api/schema/values.ts'
import { rpcFault } from '#jsonrpc/errors.ts'

export default defineMethod({
  name: 'debug_traceTransaction',
  summary: 'Executes a transaction again and returns its instructions, or the result of a named tracer.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash, options: TraceOptions },
  result: unknown().meta({ title: 'trace' }),
  async *run(resources, { transaction, options }, { cancel }) {
    const found = resources.chain.lookup.blockWith(transaction)
    if (found === undefined) throw rpcFault('TRANSACTION_NOT_FOUND')
    yield* debugReplay(resources, found.known, { options, cancel, position: found.index })
  },
})
