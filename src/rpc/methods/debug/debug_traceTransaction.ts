import { unknown } from 'zod'
import { defineMethod } from '#rpc/define-method.ts'
import { rpcFault } from '#rpc/errors.ts'
import { debugReplay } from '#rpc/present/debug-replay.ts'
import { TransactionHash } from '#rpc/schema/hash.ts'
import { TraceOptions } from '#rpc/schema/trace-options.ts'

export default defineMethod({
  name: 'debug_traceTransaction',
  summary:
    'Executes a transaction of a block again and tells every instruction, or what a named tracer makes of it.',
  needs: ['chain', 'engine', 'limits'],
  cost: 'heavy',
  params: { transaction: TransactionHash, options: TraceOptions },
  result: unknown().meta({ title: 'trace' }),
  async *run(resources, { transaction, options }, { cancel }) {
    const found = resources.chain.lookup.transaction(transaction)
    const known = found && resources.chain.lookup.block(found.block.hash)
    if (known === undefined) throw rpcFault('TRANSACTION_NOT_FOUND')
    yield* debugReplay(resources, known, { options, cancel, position: found!.index })
  },
})
